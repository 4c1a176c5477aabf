import json
import math
import random
from contextlib import closing

import pytest
from tests.report import studies

import optimand
from optimand.cli.tables import ranking_table
from optimand.core.record import Record, Usage
from optimand.core.verdict import Standing, Verdict
from optimand.report import cells
from optimand.storage.connect import connect
from optimand.storage.memory import MemoryStore


def duel(store=None):
    strength = {"weak": 1.0, "strong": 9.0, "middle": 3.0}

    def compare(a, b, example, seed):
        won = random.Random(seed).random() < strength[a] / (strength[a] + strength[b])
        return 1.0 if won else 0.0

    return optimand.pick(list(strength), optimand.DuelTask(compare), store=store)


def whole(store=None):
    """All that matters is four examples: who is behind then is behind for sure."""
    scores = {"first": [1, 1, 1, 0], "second": [1, 1, 0, 0], "last": [0, 0, 0, 0]}
    task = optimand.FunctionTask(
        lambda value, example, seed: float(scores[value][example.input]),
        [{"input": i} for i in range(4)],
        population="whole",
    )
    return optimand.pick(list(scores), task, store=store)


def test_the_leader_of_a_duel_is_the_reference(store, capsys):
    result = duel(store)
    leader, rival = result.verdict.standings[:2]
    assert result.verdict.is_reference(leader)
    assert not result.verdict.is_reference(rival)
    ranking_table(result.verdict, result.names, result.threshold)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["1", "strong", "reference", str(leader.runs)]
    assert f"{rival.low:.3f} to {rival.high:.3f}" in lines[2]
    page = studies.page_of(store)
    assert "strong reference" in page.text
    assert "0.500 to 0.500" not in page.text
    first, second, _ = result.to_json()["standings"]
    assert (first["estimate"], first["low"], first["high"]) == (None, None, None)
    assert second["estimate"] == rival.estimate


def test_no_candidate_of_a_race_is_a_reference(store):
    result = studies.separated(store)
    assert not any(result.verdict.is_reference(s) for s in result.verdict.standings)
    assert "reference" not in studies.page_of(store).text


def test_the_frame_has_no_number_for_the_reference():
    pytest.importorskip("pandas")
    frame = duel().to_frame()
    assert frame[["estimate", "low", "high"]].isna().all(axis=1).tolist() == [True, False, False]
    frame = whole().to_frame()
    assert frame["evidence"].map(math.isinf).tolist() == [False, True, True]
    assert frame["evidence"].dtype == frame["estimate"].dtype == float


def test_certainty_is_no_number(store, capsys):
    result = whole(store)
    assert (result.reason, result.confidence) == ("separated", 1.0)
    assert [s.certain for s in result.verdict.standings] == [False, True, True]
    assert not any(s.alive for s in result.verdict.standings[1:])
    ranking_table(result.verdict, result.names, result.threshold)
    out = capsys.readouterr().out
    assert out.count("certain") == out.count("ruled out") == 2
    assert "99" not in out
    assert studies.page_of(store).text.count("certain") >= 2
    value = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert [(s["evidence"] is None, s["certain"]) for s in value["standings"]] == [
        (False, False),
        (True, True),
        (True, True),
    ]


def test_certainty_survives_the_store(tmp_path):
    result = whole(tmp_path / "s.db")
    with closing(connect(tmp_path / "s.db", read_only=True)) as store:
        (body,) = [e.body for e in store.read(result.study).events(("verdict",))]
    assert Verdict.from_json(body) == result.verdict
    last = result.verdict.standings[-1].candidate
    assert result.verdict.history[last][-1] == math.inf or body["standings"][-1]["evidence"] is None


def test_those_tied_on_a_whole_population_are_not_ruled_out_but_those_behind_are():
    scores = {"one": [0.5, 0.4], "two": [0.4, 0.5], "last": [0, 0]}
    task = optimand.FunctionTask(
        lambda value, example, seed: float(scores[value][example.input]),
        [{"input": 0}, {"input": 1}],
        population="whole",
    )
    result = optimand.pick(list(scores), task)
    assert result.reason == "tied"
    standings = {result.names[s.candidate]: s for s in result.verdict.standings}
    assert [standings[name].certain for name in scores] == [False, False, True]
    assert [standings[name].alive for name in scores] == [True, True, False]


def test_a_snapshot_with_certainty_can_be_drawn(store):
    """A killed run whose last state holds a proof, and no history."""
    result = whole(MemoryStore())
    state = result.verdict.to_json() | {"reason": "running", "history": {}, "decided": False}
    with closing(store.write("killed-1", {})) as journal:
        journal.append([studies.Event("session", {"line": 3.0})])
        journal.append([studies.Event("snapshot", state | {"used": n}) for n in (4, 8)])
    assert "Evidence over time" in studies.page_of(store).text


def test_standings_in_json_have_names():
    value = duel().to_json()
    assert [s["name"] for s in value["standings"]] == ["strong", "middle", "weak"]
    assert value["wins"]["names"] == ["weak", "strong", "middle"]
    assert {s["beaten_by_name"] for s in value["standings"][1:]} <= {"strong", "middle"}
    assert value["threshold"] == pytest.approx(math.log(20), rel=0.2)
    result = optimand.pick(
        ["a", "b"],
        optimand.FunctionTask(lambda value, example, seed: 0.5),
        budget=optimand.Budget(rollouts=4),
    )
    value = result.to_json()
    assert sorted(value["unresolved_names"]) == ["a", "b"]
    assert value["wins"] == {}


def test_the_table_says_what_the_evidence_must_reach(capsys):
    assert cells.evidence_title(2.9957) == "evidence against (out at 3.00)"
    assert cells.evidence_title(None) == "evidence against"
    standing = Standing("a", 1, 0.5, 0.4, 0.6, 3, -0.25, True)
    ranking_table(Verdict(False, "a", "budget", standings=(standing,)), {"a": "alpha"}, 2.9957)
    head, row = capsys.readouterr().out.splitlines()
    assert "evidence against (out at 3.00)" in head
    assert row.split()[-1] == "-0.25"


class Charged(optimand.FunctionTask):
    """Every execution is one model call, whose price is `usd`, or not known."""

    usd = None

    def execute(self, candidate, example, seed):
        usage = Usage(1, 20, 3, self.usd or 0.0, int(self.usd is None))
        return Record(candidate.id, example.id, score=1.0, usage=usage)


@pytest.mark.parametrize(
    ("usd", "said", "on_page"),
    [
        (None, "4 rollouts, price unknown.", "Cost unknown no model call has a known price"),
        (0.5, "4 rollouts, $2.00.", "Cost $2.00"),
        (0.0, "4 rollouts.", "Model calls 4"),
    ],
)
def test_an_unknown_price_is_not_nothing(usd, said, on_page, store):
    task = Charged(lambda value, example, seed: 1.0)
    task.usd = usd
    result = optimand.pick(["a", "b"], task, store=store, budget=optimand.Budget(rollouts=4))
    assert str(result).endswith(said)
    page = studies.page_of(store)
    assert on_page in page.text
    assert ("$0.00" in page.text) == (usd == 0.0)
