"""Whatever a user's function answers or raises: a message, never a traceback of ours."""

import asyncio

import numpy as np
import pytest

import optimand
from optimand.core.errors import InputError
from optimand.core.model import Message, Request
from optimand.evaluation.judges import Function
from optimand.llm import Scripted
from optimand.storage.memory import MemoryStore
from optimand.tasks.text import TextTask

LIMIT = optimand.Budget(rollouts=12, comparisons=12)


class Rude:
    def __str__(self):
        raise ZeroDivisionError

    __repr__ = __str__


class RudeError(Exception):
    def __str__(self):
        raise ZeroDivisionError


RING = []
RING.append(RING)


def pick(function, width=1, store=None):
    task = optimand.FunctionTask(function, width=width)
    return optimand.pick(["a", "b"], task, budget=LIMIT, store=store)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize(
    "output", [object(), b"x", RING, np.arange(3), {1: 2, "a": 3}, {(1, 2): 3}], ids=str
)
def test_outputs_that_cannot_be_kept_name_candidate_and_example(output, width):
    store = MemoryStore()
    with pytest.raises(InputError, match=r"candidate '[ab]' on example '\d+': the output cannot"):
        pick(lambda v, e, s: {"score": 0.5, "output": output}, width, store)


def test_one_output_that_cannot_be_kept_takes_no_other_with_it():
    store, paid = MemoryStore(), []

    async def function(value, example, seed):
        paid.append(example.id)
        return {"score": 0.5, "output": object() if len(paid) == 6 else "fine"}

    with pytest.raises(InputError, match="the output cannot"):
        pick(function, 4, store)
    (study,) = store.studies()
    kept = sum(event.kind == "rollout" for event in store.read(study.name).events())
    assert kept >= 5


@pytest.mark.parametrize(
    "score", [np.array([0.1, 0.2]), Rude(), "x" * 10**6, 10**5000, 1j, [0.5]], ids=type
)
def test_scores_that_are_none(score):
    with pytest.raises(InputError, match=r"task 'function', on example '.*', answered") as found:
        pick(lambda v, e, s: score)
    assert len(str(found.value)) < 500
    duel = optimand.DuelTask(lambda a, b, e, s: score)
    with pytest.raises(InputError, match=r"judge 'duel', on example '.*', answered"):
        optimand.pick(["a", "b"], duel, budget=LIMIT)
    judge, client = Function(lambda output, example: score), Scripted(lambda request: "x")
    task = TextTask(["q"], judge, {"m": client})
    policies = [optimand.Policy("m", f"{{input}}{i}") for i in range(2)]
    with pytest.raises(InputError, match=r"judge 'function' answered .* for example"):
        optimand.pick(policies, task, budget=LIMIT)


@pytest.mark.parametrize("objectives", [{"a": "x"}, [1], 5, {"a": None}, {"a": Rude()}], ids=type)
def test_objectives_that_are_none(objectives):
    with pytest.raises(InputError, match=r"answered the objectives .* mapping of names to numbers"):
        pick(lambda v, e, s: {"score": 1, "objectives": objectives})


def test_feedback_that_cannot_be_shown():
    with pytest.raises(InputError, match="gave as feedback a Rude"):
        pick(lambda v, e, s: (0.5, Rude()))
    duel = optimand.DuelTask(lambda a, b, e, s: (0.5, Rude()))
    with pytest.raises(InputError, match="gave as feedback a Rude"):
        optimand.pick(["a", "b"], duel, budget=LIMIT)
    with pytest.raises(InputError, match="answered a mapping with a Rude"):
        pick(lambda v, e, s: {Rude(): 1})


def crash(error):
    def function(*_):
        raise error

    async def later(*_):
        raise error

    return [function, later]


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("error", [RudeError(), asyncio.CancelledError()], ids=type)
@pytest.mark.parametrize("how", [0, 1])
def test_errors_of_the_function_are_its_crashes(error, how, width):
    store = MemoryStore()
    result = pick(crash(error)[how], width, store)
    assert result.reason == "budget"
    bodies = [e.body for e in store.read(result.study).events() if e.kind == "rollout"]
    assert {(b["status"], b["score"]) for b in bodies} == {("crash", 0.0)}
    assert all(b["feedback"].startswith(type(error).__name__) for b in bodies)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("how", [0, 1])
def test_a_duel_that_cancels_itself_failed(how, width):
    function = crash(asyncio.CancelledError())[how]
    with pytest.raises(InputError, match="failed with CancelledError"):
        optimand.pick(["a", "b"], optimand.DuelTask(function, width=width), budget=LIMIT)


@pytest.mark.parametrize("how", [0, 1])
def test_a_judge_that_cancels_itself_failed(how):
    client = Scripted(lambda request: request.messages[0].content)
    task = TextTask(["q"], Function(crash(asyncio.CancelledError())[how]), {"m": client})
    policies = [optimand.Policy("m", f"{{input}}{i}") for i in range(2)]
    with pytest.raises(InputError, match="judge 'function' failed on example"):
        optimand.pick(policies, task, budget=LIMIT)


def test_a_client_that_cancels_itself_is_not_an_interrupt():
    task = TextTask(
        ["q"], Function(lambda o, e: 1.0), {"m": Scripted(crash(asyncio.CancelledError())[1])}
    )
    policies = [optimand.Policy("m", f"{{input}}{i}") for i in range(2)]
    with pytest.raises(InputError, match=r"client .* failed with CancelledError"):
        optimand.pick(policies, task, budget=LIMIT)


def test_a_real_cancellation_is_not_a_crash():
    store, begun = MemoryStore(), []

    async def slow(value, example, seed):
        begun.append(1)
        if len(begun) == 3:
            for task in asyncio.all_tasks():
                task.cancel()
        await asyncio.sleep(0.001)
        return 0.5

    result = pick(slow, 1, store)
    assert result.reason == "interrupted"
    bodies = [e.body for e in store.read(result.study).events() if e.kind == "rollout"]
    assert [b.get("status", "ok") for b in bodies] == ["ok", "ok"]


@pytest.mark.parametrize("answer", [None, 5, b"x", Rude()], ids=type)
def test_a_script_that_answers_no_text(answer):
    client = Scripted(lambda request: answer, name="mine")
    request = Request((Message("user", "Hi"),))
    with pytest.raises(
        InputError, match=r"function of client 'mine' answered .* a text or a Reply"
    ):
        asyncio.run(client.complete(request))


def test_numbers_that_are_fine():
    for score in (np.float32(0.5), np.array([0.5]), True, np.int64(1)):
        assert pick(lambda v, e, s, score=score: score).reason == "budget"
