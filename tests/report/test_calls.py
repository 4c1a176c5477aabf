from contextlib import closing
from dataclasses import replace

import pytest
from tests.report import studies

import optimand
from optimand.core.errors import InputError, StorageError
from optimand.core.record import Usage
from optimand.evaluation.judges import Contains
from optimand.report.calls import read_calls
from optimand.report.differences import find_differences, top_two
from optimand.report.study import view_study
from optimand.storage.memory import MemoryStore


def opened(store):
    info = store.studies()[0]
    return info, closing(store.read(info.name))


def test_spending_is_that_of_the_ledger(store):
    result = studies.written(store, {"right": "answer 1", "wrong": "no"}, Contains())
    info, opening = opened(store)
    with opening as journal:
        calls = read_calls(journal, info.settings["judge"])
    spent = calls.spent(1.0)
    for name in ("calls", "tokens", "usd", "rollouts", "comparisons"):
        assert spent[name] == result.spent[name]
    assert calls.total == Usage(calls=int(result.spent["calls"]))
    assert calls.counts["score"] == calls.counts["rollout"]


def test_failures_are_counted_by_status(store):
    def score(value, example, seed):
        if value == "frail":
            raise ValueError("broken")
        return 1.0

    optimand.pick(["frail", "sound"], optimand.FunctionTask(score), store=store)
    info, opening = opened(store)
    with opening as journal:
        calls = read_calls(journal, None)
        names = view_study(info, journal).names
    found = {names[c]: dict(count) for c, count in calls.failures.items()}
    assert set(found) == {"frail"}
    assert set(found["frail"]) == {"crash"}
    assert "Failed runs" in studies.page_of(store).text


def differences(store):
    info, opening = opened(store)
    with opening as journal:
        view = view_study(info, journal)
        pair = top_two(view.verdict)
        calls = read_calls(journal, info.settings.get("judge"), pair)
        return find_differences(journal, calls, pair, view.names), view


def test_differences_of_scores(store):
    # b is right on every fifth example only, and a on the others.
    def a(said):
        return "no" if int(said.split()[1]) % 5 == 0 else said.replace("question", "answer")

    def b(said):
        return said.replace("question", "answer") if int(said.split()[1]) % 5 == 0 else "no"

    studies.written(store, {"a": a, "b": b}, Contains())
    found, view = differences(store)
    assert (view.name_of(found.first), view.name_of(found.second)) == ("a", "b")
    assert found.better + found.worse == view.verdict.used // 2
    assert found.equal == 0
    gaps = [case.gap for case in found.cases]
    assert len(gaps) == min(10, found.better + found.worse)
    assert gaps == sorted(gaps, reverse=True)
    assert sum(gap < 0 for gap in gaps) == min(found.worse, max(4, 10 - found.better))
    for case in found.cases:
        assert case.input[0].startswith("question")
        assert case.target[0].startswith("answer")
        right = case.first if case.gap > 0 else case.second
        assert right.text == case.target[0]


def test_differences_of_comparisons_count_ties(store):
    replies = {"a": lambda said: "aa" if said.endswith(("1", "2", "3")) else "a", "b": "a"}
    studies.written(store, replies, studies.Prefers())
    found, _ = differences(store)
    assert found.equal > 0
    assert found.worse == 0
    assert all("has" in case.reason for case in found.cases)


def test_pairs_without_anything_to_read_are_only_counted(store):
    task = optimand.DuelTask(lambda a, b, example, seed: float(a == "x"))
    optimand.pick(["x", "y"], task, store=store)
    found, _ = differences(store)
    assert found.cases == ()
    assert found.better > 0


def test_the_pair_is_the_one_still_in_question(store):
    result = studies.cycle(store)
    assert set(top_two(result.verdict)) <= set(result.verdict.unresolved)
    assert top_two(None) == ()


def test_a_resumed_study_counts_its_sessions(store):
    studies.budget(store)
    studies.budget(store)
    info, opening = opened(store)
    with opening as journal:
        view = view_study(info, journal)
        calls = read_calls(journal, None)
    assert len(view.sessions) == 2
    assert view.finished
    assert calls.counts["rollout"] == view.verdict.used == 12


def test_a_result_writes_its_report_from_any_store(tmp_path):
    def score(value, example, seed):
        return float(value == "a")

    for where in (None, "memory:", tmp_path / "s.db", str(tmp_path / "t.db"), MemoryStore()):
        result = optimand.pick(["a", "b"], optimand.FunctionTask(score), store=where)
        page = result.report(tmp_path / "page.html")
        assert "a is best." in page.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="does not know its log"):
        replace(result, study="").report(tmp_path / "none.html")
    with pytest.raises(StorageError, match="cannot be written"):
        result.report(tmp_path / "no" / "page.html")
