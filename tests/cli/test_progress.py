import io
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from optimand.cli.live import Lines, LiveTable, watch
from optimand.cli.progress import Pace, Progress, spent_so_far
from optimand.core.amounts import clock
from optimand.core.artifact import Artifact, Candidate
from optimand.core.verdict import Standing, Verdict

LINE = 3.0


def standing(name, rank, evidence, alive=True):
    return Standing(name, rank, 0.5, 0.4, 0.6, 10, evidence, alive)


def state(used, *evidence, remaining=None):
    standings = [standing("a", 1, 0.0)]
    standings += [standing(f"r{i}", i, e, e < LINE) for i, e in enumerate(evidence, 2)]
    return Verdict(
        False, "a", "running", standings=tuple(standings), used=used, remaining=remaining
    )


def test_time_left_by_the_speed_of_this_session():
    pace = Pace()
    assert pace.left(state(100, 1.0, remaining=50), 10.0, LINE) is None
    assert pace.left(state(200, 1.0, remaining=50), 30.0, LINE) == pytest.approx(10.0)


def test_time_left_ends_with_the_budget():
    pace = Pace()
    limits = {"calls": 40, "usd": 1.0}
    assert pace.allowed({"calls": 10, "seconds": 5.0}, limits) is None
    assert pace.allowed({"calls": 30, "seconds": 15.0}, limits) == pytest.approx(5.0)
    assert pace.allowed({"calls": 50, "seconds": 16.0}, limits) == 0.0
    assert pace.allowed({"calls": 50, "seconds": 16.0}, {}) is None


def test_time_left_by_the_growth_of_evidence():
    pace = Pace()
    pace.left(state(0), 0.0, LINE)
    assert pace.left(state(100, 1.0, 2.0, 3.5), 10.0, LINE) == pytest.approx(20.0)
    assert pace.left(state(100, 0.1), 10.0, LINE) is None


def test_the_sentence():
    names = {"a": "alpha", "r2": "beta", "r3": "gamma"}
    spent = {"calls": 1200, "tokens": 34567, "usd": 1.5, "seconds": 61}
    progress = Progress(state(1500, 1.5, 3.2), names, spent, LINE, 3725)
    assert progress.sentence() == (
        "1,500 comparisons; 1,200 model calls, 34,567 tokens, $1.50; 1 of 2 rivals ruled out; "
        "50% of the evidence needed against the closest; "
        "in the race: alpha, beta; 1:01 min so far; about 1:02 h to go"
    )
    assert [progress.share(s) for s in progress.verdict.standings] == [0.0, 0.5, 1.0]


def test_a_confidence_below_one_half_is_not_shown():
    names = {"a": "alpha", "r2": "beta"}
    sentences = [
        Progress(replace(state(9, 1.5), confidence=c), names, {}, line, None).sentence()
        for c, line in ((0.49, LINE), (0.5, LINE), (0.2, None))
    ]
    assert ["confidence" in s for s in sentences] == [False, True, False]
    assert "50% of the evidence needed" in sentences[0]
    assert "evidence" not in sentences[2]


def test_evidence_below_zero_is_none_of_what_is_needed():
    text = Progress(state(9, -4.0, 1.0), {}, {}, LINE, None).sentence()
    assert "0 of 2 rivals ruled out; 0% of the evidence needed" in text


def test_clock_and_spent():
    assert [clock(s) for s in (0.4, 59, 61, 3600, 7325)] == [
        "0 s",
        "59 s",
        "1:01 min",
        "1:00 h",
        "2:02 h",
    ]
    assert spent_so_far({"calls": 0, "tokens": 0, "usd": 0.0}) == ""
    spent = {"calls": 77, "tokens": 0, "usd": 0.0, "unpriced": 77, "rollouts": 66}
    assert spent_so_far(spent, 11) == "77 model calls (11 of them the judge's), price unknown"


def run_with(*names):
    candidates = [Candidate(Artifact({"value": n}), n) for n in names]
    ledger = SimpleNamespace(spent=lambda: {"seconds": 1.0, "calls": 2}, limits={})
    return SimpleNamespace(candidates=candidates, ledger=ledger)


def test_lines_come_every_so_often():
    written = []
    lines = Lines(LINE, written.append, every=1e9)
    for used in (1, 2, 3):
        lines(state(used, 0.5), run_with("alpha"))
    assert len(written) == 1
    lines = Lines(LINE, written.append, every=0.0)
    for used in (1, 2):
        lines(state(used, 0.5), run_with("alpha"))
    assert len(written) == 3


def test_the_live_table_shows_names_as_they_are():
    run = run_with("[bold]alpha", "beta \x1b[2J", *(f"number {i}" for i in range(20)))
    standings = tuple(
        replace(standing(c.id, rank, 0.1 * rank, rank < 15), estimate=rank / 100)
        for rank, c in enumerate(run.candidates, 1)
    )
    verdict = Verdict(False, run.candidates[0].id, "running", standings=standings, used=7)
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with LiveTable(LINE, console) as table:
        console.print(table.table())
        table(verdict, run)
        console.print(table.table())
    text = console.file.getvalue()
    assert "starting" in text
    assert "[bold]alpha" in text
    assert "beta ␛[2J" in text
    assert "and 10 more" in text
    assert "7 comparisons; 2 model calls" in text


def test_quiet_watches_nothing():
    with watch(LINE, quiet=True) as observe:
        assert observe is None
