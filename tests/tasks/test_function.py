import asyncio

import numpy as np
import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError, SetupError
from optimand.core.example import Endless
from optimand.core.task import PairJudge, Task
from optimand.tasks.duel import DuelTask
from optimand.tasks.function import FunctionTask

CANDIDATE = Candidate(Artifact({"value": 0.5}), "half")


def run(function, candidate=CANDIDATE, examples=None, seed=7):
    task = FunctionTask(function, examples)
    found = task.execute(candidate, task.splits["all"][0], seed)
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


async def later(value, example, seed):
    return value, "fine"


async def prefer_later(a, b, example, seed):
    return float(a < b)


def test_scores_feedback_and_mappings():
    assert run(lambda value, example, seed: value).score == 0.5
    assert run(later).score == 0.5
    assert run(later).feedback == "fine"
    record = run(lambda v, e, s: {"score": np.float64(v), "output": [s], "objectives": {"cost": 3}})
    assert (record.score, record.output, record.objectives) == (0.5, [7], {"cost": 3.0})
    assert (record.candidate, record.example, record.status) == (CANDIDATE.id, "0", "ok")


def test_what_the_function_receives():
    seen = []

    def function(value, example, seed):
        seen.append(value)
        return 1

    live = object()
    run(function)
    run(function, Candidate(Artifact({"x": 1, "y": 2}), "parts"))
    run(function, Candidate(Artifact({"name": "live"}, ref=live), "live"))
    assert seen == [0.5, {"x": 1, "y": 2}, live]


def test_an_exception_is_a_crash_with_its_place():
    def broken(value, example, seed):
        return 1 / (value - 0.5)

    async def late(value, example, seed):
        raise KeyError("k")

    record = run(broken)
    assert (record.status, record.score) == ("crash", 0.0)
    assert record.feedback.startswith("ZeroDivisionError")
    assert "in broken" in record.feedback or "(broken, line" in record.feedback
    assert run(late).feedback.startswith("KeyError")


def test_a_timeout_is_a_timeout():
    def slow(value, example, seed):
        raise TimeoutError("10 s")

    assert run(slow).status == "timeout"


def test_our_own_errors_pass():
    def no_key(value, example, seed):
        raise SetupError("no key")

    with pytest.raises(SetupError):
        run(no_key)


@pytest.mark.parametrize(
    "answer", [None, "1", float("nan"), 1.5, -1, {"feedback": "x"}, {"score": 1, "scor": 2}]
)
def test_any_other_answer_names_task_and_example(answer):
    with pytest.raises(InputError, match="task 'function', on example '0', answered"):
        run(lambda v, e, s: answer)


def test_examples():
    assert isinstance(FunctionTask(later).splits["all"], Endless)
    seen = run(lambda value, example, seed: example.input / 10, examples=[3, 4])
    assert seen.score == 0.3
    with pytest.raises(InputError, match="whole"):
        FunctionTask(later, population="whole")
    with pytest.raises(InputError, match="whole"):
        DuelTask(prefer_later, population="whole")


def test_tasks_are_tasks():
    for task in (FunctionTask(later), DuelTask(prefer_later)):
        assert isinstance(task, Task)
        assert asyncio.run(task.close()) is None
    assert FunctionTask(later).check(CANDIDATE.artifact) == []
    assert FunctionTask(later).fingerprint() != FunctionTask(run).fingerprint()


def duel(function, a=0.9, b=0.1, known=True):
    task = DuelTask(function)
    pair = [Candidate(Artifact({"value": v}), str(v)) for v in (a, b)]
    for candidate in pair if known else ():
        assert task.check(candidate.artifact) == []
    example = task.splits["all"][3]
    first, second = (task.execute(candidate, example, 0) for candidate in pair)
    found = task.judge.compare(example, first, second, 11)
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


def test_duels():
    assert isinstance(DuelTask(prefer_later).judge, PairJudge)
    assert DuelTask(prefer_later).judge.needs_outputs is False
    assert duel(lambda a, b, example, seed: float(a > b)).value == 1
    assert duel(lambda a, b, example, seed: (a, f"{example.id} {seed}")).feedback == "3 11"

    async def slow(a, b, example, seed):
        return 0.5

    assert duel(slow).value == 0.5


def test_duels_that_cannot_be_judged_are_errors():
    async def broken(a, b, example, seed):
        raise KeyError("k")

    for answer in (None, 2, float("nan")):
        with pytest.raises(InputError, match="judge 'duel', on example '3', answered"):
            duel(lambda a, b, e, s, answer=answer: answer)
    for function in (lambda a, b, e, s: 1 / 0, broken):
        with pytest.raises(InputError, match="judge 'duel', on example '3', failed with"):
            duel(function)
    with pytest.raises(InputError, match="unknown to the duel"):
        duel(lambda a, b, e, s: 1, known=False)
    assert DuelTask(prefer_later).judge.fingerprint() != DuelTask(broken).judge.fingerprint()
