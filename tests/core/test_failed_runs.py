"""Failed executions are counted in the verdict, and said wherever it is."""

from contextlib import closing

import optimand
from optimand.core.failed_runs import LONG, FailedRuns, failed_runs
from optimand.core.record import Comparison, Record
from optimand.report.sentences import next_step, rests_on
from optimand.report.study import view_study
from optimand.storage.memory import MemoryStore


def broken(value, example, seed):
    if value == "B" or example.input % 2:
        raise ZeroDivisionError("division by zero")
    return 0.5


def test_a_race_says_what_crashed():
    store = MemoryStore()
    task = optimand.FunctionTask(broken, list(range(10)))
    result = optimand.pick(["A", "B"], task, budget=optimand.Budget(rollouts=20), store=store)
    failures = result.verdict.failures
    assert (failures["status"], failures["runs"]) == ({"crash": 15}, 20)
    said = "15 of 20 runs crashed: ZeroDivisionError: division by zero."
    assert str(result).endswith(said)
    assert result.to_json()["failures"] == failures
    info = store.studies()[0]
    with closing(store.read(info.name)) as journal:
        view = view_study(info, journal)
    assert rests_on(view).endswith(said)
    assert next_step(view).startswith("Most runs failed")


def test_nothing_is_said_where_nothing_failed():
    task = optimand.FunctionTask(lambda value, example, seed: 0.5, list(range(4)))
    result = optimand.pick(["A", "B"], task)
    assert result.verdict.failures == {}
    assert "runs" not in str(result)


def test_several_kinds_and_the_commonest_text():
    runs = FailedRuns()
    runs.take([Record("a", "1"), Record("a", "2", status="timeout", feedback="late")])
    for count in range(2):
        runs.take([Record("a", str(count), status="invalid", feedback="no\n\nnumber")])
    found = runs.to_json()
    assert failed_runs(found) == (
        "1 of 4 runs timed out, 2 gave an invalid output; most often: no number"
    )
    assert failed_runs(found, error=False) == "1 of 4 runs timed out, 2 gave an invalid output"


def test_comparisons_without_a_judgement():
    runs = FailedRuns()
    runs.compare(Comparison("a", "b", "1", status="invalid", feedback="x" * 1000), ())
    runs.compare(Comparison("a", "b", "2", outcome=1.0), ())
    text = failed_runs(runs.to_json())
    assert text.startswith("1 of 2 comparisons got no judgement: xxx")
    assert len(text) < LONG + 60
