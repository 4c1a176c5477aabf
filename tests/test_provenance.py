import math
from contextlib import closing
from importlib.metadata import version

import optimand
from optimand import provenance
from optimand.evaluation.judges import Contains
from optimand.llm.scripted import Scripted
from optimand.provenance import example_events, own_version, session, stopping_line
from optimand.statistics.duel import DuelOptions
from optimand.statistics.glr import Glr
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.race import ScoreRace


def function(value, example, seed):
    return float(value == "a")


def logged(store, kind, number=0):
    info = store.studies()[number]
    with closing(store.read(info.name)) as journal:
        return [event.body for event in journal.events((kind,))]


def test_a_session_says_what_the_settings_do_not():
    task = optimand.TextTask(
        [{"input": "x", "target": "y"}], Contains(), {"m": Scripted(lambda r: "y", name="s")}
    )
    entry = optimand.Policy("m").candidate("plain")
    other = optimand.Policy("m", prompt="{input}!").candidate("loud")
    found = session(task, [entry, other], ScoreRace(0.1, 0.2), optimand.Budget(usd=3.0))
    assert found["version"] == own_version() == version("optimand")
    assert found["order"] == [entry.id, other.id]
    assert found["names"] == {entry.id: "plain", other.id: "loud"}
    assert found["budget"] == {"usd": 3.0}
    assert found["rule"]["indifference"] == 0.2
    assert found["judge"]["type"] == "contains"
    assert found["models"] == {"m": "s"}
    assert found["examples"] == {"all": 1}


def test_stopping_lines():
    assert stopping_line(ScoreRace(0.05), 6) == math.log(20)
    assert stopping_line(ScoreRace(0.05, 0.1), 6) == math.log(1 / 0.04)
    assert stopping_line(Duel(DuelOptions(0.05)), 6) == math.log(20)
    assert stopping_line(Duel(DuelOptions(0.05, assume="nothing")), 6) > math.log(20)
    assert stopping_line(Duel(DuelOptions(0.05, stopper=Glr())), 6) is None
    assert stopping_line(object(), 6) is None


def test_every_call_of_pick_is_a_session_and_examples_are_kept_once():
    store = MemoryStore()
    rows = [{"id": f"e{i}", "input": i} for i in range(450)]
    for limit in (4, 8):
        task = optimand.FunctionTask(function, rows)
        optimand.pick(["a", "b"], task, store=store, budget=optimand.Budget(rollouts=limit))
    assert [s["budget"]["rollouts"] for s in logged(store, "session")] == [4, 8]
    chunks = logged(store, "examples")
    kept = [row[0] for chunk in chunks for row in chunk["rows"]]
    assert kept == [f"e{i}" for i in range(450)]
    assert len(chunks) == 3


def test_an_edited_example_is_another_study_and_kept_again():
    store = MemoryStore()
    for text in ("old", "new"):
        task = optimand.FunctionTask(function, [{"id": "e", "input": text}])
        optimand.pick(["a", "b"], task, store=store)
    assert len(store.studies()) == 2
    kept = [logged(store, "examples", number)[0]["rows"][0][1] for number in range(2)]
    assert kept == ["old", "new"]


def test_endless_and_too_many_examples_are_not_kept(monkeypatch):
    assert list(example_events(optimand.FunctionTask(function), ())) == []
    monkeypatch.setattr(provenance, "MOST", 5_000)
    task = optimand.FunctionTask(function, [{"input": f"{i:020}"} for i in range(400)])
    assert list(example_events(task, ())) == []


def test_the_name_of_a_study_does_not_depend_on_what_a_session_says(monkeypatch):
    names = []
    for said in ("1.0", "2.0"):
        monkeypatch.setattr(provenance, "own_version", lambda said=said: said)
        store = MemoryStore()
        optimand.pick(["a", "b"], optimand.FunctionTask(function), store=store)
        names.append(store.studies()[0].name)
        assert logged(store, "session")[0]["version"] == said
    assert names[0] == names[1]
