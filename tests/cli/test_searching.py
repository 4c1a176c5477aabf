"""What is shown while `improve` goes on."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console
from tests.methods.benches import improved

from optimand.cli.searching import LiveSearch, SearchLines, searching, watch_search
from optimand.core.verdict import Standing, Verdict

BEST = "best so far reflect ab \x1b[2J with 0.700 on val, start 0.500"
LEAD = f"{BEST}; 3 steps, 2 proposals kept, 4 not"


def run_of(*splits):
    spent = {"seconds": 61.0, "calls": 5, "rollouts": 1200}
    ledger = SimpleNamespace(spent=lambda: spent, limits={})
    task = SimpleNamespace(splits=dict.fromkeys(splits, ()))
    candidates = [SimpleNamespace(id="s", name="start"), SimpleNamespace(id="b", name="better")]
    return SimpleNamespace(task=task, ledger=ledger, candidates=candidates)


def search():
    return Verdict(False, "b", "running", LEAD, unit="rollouts", used=9)


def proof():
    rows = (
        Standing("b", 1, 0.7, 0.5, 0.9, 5, -1.0, True),
        Standing("s", 2, 0.5, 0.3, 0.7, 5, 1.5, True),
    )
    return Verdict(False, "b", "running", standings=rows, unit="rollouts", used=10)


def test_lines_of_the_search_and_then_of_the_certificate():
    said = []
    lines = SearchLines(3.0, said.append, every=0.0)
    lines(search(), run_of("train", "val"))
    lines(proof(), run_of("all"))
    assert said[0] == (
        "searching: best so far reflect ab ␛[2J with 0.700 on val, start 0.500; 3 steps, "
        "2 proposals kept, 4 not; 1,200 rollouts; 5 model calls; 1:01 min so far"
    )
    assert said[1].startswith("certificate: 10 rollouts; 5 model calls; ")
    assert "in the race: better, start" in said[1]


def test_lines_come_every_so_often():
    said = []
    lines = SearchLines(3.0, said.append, every=1e9)
    for _ in range(3):
        lines(search(), run_of("val"))
        lines(proof(), run_of("all"))
    assert len(said) == 2


def test_on_a_terminal_one_thing_after_the_other():
    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    with LiveSearch(3.0, console) as live:
        console.print(live.drawn())
        live(search(), run_of("val"))
        console.print(live.drawn())
        live(proof(), run_of("all"))
        console.print(live.drawn())
    text = console.file.getvalue()
    assert "starting" in text
    assert "searching: best so far reflect ab ␛[2J" in text
    assert "certificate: start and finalists" in text
    assert "better" in text


def test_quiet_watches_nothing():
    with watch_search(0.95, quiet=True) as observe:
        assert observe is None


@pytest.mark.parametrize("method", ["gepa", "opro"])
def test_a_search_says_where_it_is(method, monkeypatch):
    import optimand.core.loop

    monkeypatch.setattr(optimand.core.loop._Pace, "done", lambda *_: None)
    monkeypatch.setattr(
        optimand.core.loop._Pace, "__init__", lambda self: self.__dict__.update(look=0.0, log=9e9)
    )
    seen = []
    improved(method, 400, observe=lambda v, run: seen.append((v.detail, searching(run))))
    searched = [detail for detail, phase in seen if phase]
    assert "best so far start with 0.000 on val, start 0.000; 0 steps" in searched[0]
    assert "proposals kept" in searched[-1]
    assert not seen[-1][1]
