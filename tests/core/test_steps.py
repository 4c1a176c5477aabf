"""A budget in steps of simulated environments: never passed, and resumed with the right count."""

import asyncio
import random

import pytest
from tests.core.episodes import MOST, Episodes, coin
from tests.core.test_loop import Count, Subject, run_it
from tests.methods.benches import token_editor, tokens_task

import optimand
from optimand import Budget, FunctionTask
from optimand.core.errors import InputError, Stopped
from optimand.core.ledger import Ledger
from optimand.core.record import Record, Usage
from optimand.storage.memory import MemoryStore


def picked(task, steps, **options):
    return optimand.pick(["A", "B", "C"], task, budget=Budget(steps=steps), **options)


def improved(task, steps, **options):
    method = {"type": "gepa", "steps": 30}
    options = {"method": method, "proposer": token_editor(), **options}
    return optimand.improve("start", task, budget=Budget(steps=steps), **options)


@pytest.mark.parametrize("width", [1, 6])
@pytest.mark.parametrize("steps", [0, MOST - 1, MOST, 31, 200, 457])
def test_pick_never_passes_it(steps, width):
    task = Episodes(FunctionTask(coin, name="episodes", width=width))
    result = picked(task, steps)
    assert (result.reason, result.spent["steps"]) == ("budget", task.taken)
    # It ends only where one more episode could have been too long.
    assert steps - MOST < task.taken <= steps
    assert f"steps limit of {steps} reached (the next run may take {MOST})" in str(result)


@pytest.mark.parametrize("steps", [0, 40, 2000, 3001])
def test_improve_never_passes_it(steps):
    task = Episodes(tokens_task())
    result = improved(task, steps)
    assert result.spent["steps"] == task.taken <= steps
    assert steps < 2000 or result.certificate is not None  # its share was left for it


def test_the_same_with_less_is_a_beginning_of_it():
    whole, store = picked(Episodes(), 400), MemoryStore()
    parts = [Episodes() for _ in range(4)]
    for task, steps in zip(parts, (90, 91, 300, 400), strict=True):
        again = picked(task, steps, store=store)
        assert again.spent["steps"] == sum(part.taken for part in parts) <= steps
    assert again.verdict.standings == whole.verdict.standings
    assert again.spent["steps"] == whole.spent["steps"]


@pytest.mark.parametrize("ends", [1, 7, 30])
def test_a_killed_run_goes_on_with_the_right_count(ends, tmp_path):
    store = str(tmp_path / "runs.db")
    first, second = Episodes(ends=ends), Episodes()
    assert picked(first, 1000, store=store).reason == "interrupted"
    result = picked(second, 1000, store=store)
    assert result.spent["steps"] == first.taken + second.taken <= 1000
    assert result.spent["steps"] == picked(Episodes(), 1000).spent["steps"]


@pytest.mark.parametrize("ends", [5, 60, 150])
def test_a_killed_search_goes_on_with_the_right_count(ends, tmp_path):
    store, whole = str(tmp_path / "runs.db"), improved(Episodes(tokens_task()), 3000)
    first, second = Episodes(tokens_task(), ends=ends), Episodes(tokens_task())
    improved(first, 3000, store=store)
    result = improved(second, 3000, store=store)
    assert result.spent["steps"] == first.taken + second.taken == whole.spent["steps"]
    assert result.best == whole.best


def test_a_search_with_more_counts_what_it_no_longer_needs(tmp_path):
    store, taken = str(tmp_path / "runs.db"), 0
    for steps in (2500, 3000, 5000):
        task = Episodes(tokens_task())
        result = improved(task, steps, store=store)
        taken += task.taken
        assert result.spent["steps"] == taken <= steps


def test_without_a_bound_the_mean_is_expected():
    task = Episodes(bound=None)
    result = picked(task, 300)
    assert result.reason == "budget"
    assert 300 - MOST < task.taken < 300 + MOST


def test_a_task_that_takes_more_than_it_said():
    with pytest.raises(InputError, match=r"took \d+ steps, more than its steps_per_run, 3"):
        picked(Episodes(bound=3), 300)


@pytest.mark.parametrize("bound", [-1, 2.5, True, "many"])
def test_a_bound_that_is_none(bound):
    with pytest.raises(InputError, match=r"steps_per_run is .* whole number"):
        picked(Episodes(bound=bound), 300)


def test_what_a_failed_attempt_took_counts_and_is_kept():
    def shaky(example, attempt):
        status = "unknown" if example == "5" and attempt < 3 else "ok"
        return Record("", example, score=1.0, usage=Usage(steps=7), status=status)

    store = MemoryStore()
    for calls in (12, 0):
        task = Subject(shaky)
        task.steps_per_run = 10
        verdict, run = run_it(task, Count(10), store, Budget(steps=90))
        assert (verdict.decided, len(task.calls)) == (True, calls)
        assert run.ledger.spent()["steps"] == 12 * 7


@pytest.mark.parametrize("limit", range(40, 62))
def test_no_attempt_is_made_that_may_not_fit(limit):
    def shaky(example, attempt):
        status = "unknown" if int(example) % 3 == 2 and attempt < 3 else "ok"
        return Record("", example, score=1.0, usage=Usage(steps=7), status=status)

    task = Subject(shaky, width=4)
    task.steps_per_run = 10
    verdict, run = run_it(task, Count(30), budget=Budget(steps=limit))
    assert verdict.reason == "budget"
    assert limit - 10 < run.ledger.spent()["steps"] == 7 * len(task.calls) <= limit


def test_a_child_reserves_with_its_parent():
    parent = Ledger(Budget(steps=50))
    child = parent.child(Budget(steps=40))
    with child.admit("rollout", steps=30) as hold:
        with pytest.raises(Stopped, match="steps limit of 50"), parent.admit("rollout", steps=30):
            pass
        with pytest.raises(Stopped, match="steps limit of 40"), child.admit("rollout", steps=11):
            pass
        hold.settle(Usage(steps=12))
    with child.admit("rollout", steps=28) as hold:
        hold.settle(Usage(steps=28))
    assert (parent.spent()["steps"], child.spent()["steps"]) == (40, 40)
    with pytest.raises(Stopped, match="steps limit of 40"), child.admit("rollout", steps=1):
        pass


@pytest.mark.parametrize("seed", range(20))
def test_calls_wait_for_what_others_may_leave(seed):
    rng, order = random.Random(seed), []
    ledger = Ledger(Budget(steps=100))

    async def call(number):
        await ledger.room(40)
        with ledger.admit("rollout", steps=40) as hold:
            order.append(number)
            for _ in range(rng.randrange(5)):
                await asyncio.sleep(0)
            hold.settle(Usage(steps=rng.randint(1, 40)))

    async def all_calls():
        return await asyncio.gather(*map(call, range(20)), return_exceptions=True)

    ends = asyncio.run(all_calls())
    assert 60 < ledger.usage.steps <= 100
    assert order == list(range(len(order)))
    assert all(isinstance(end, Stopped) for end in ends[len(order) :])


@pytest.mark.parametrize(("steps", "words"), [(-1, "0 or more"), ("9", "a num"), (True, "a num")])
def test_a_limit_that_is_none(steps, words):
    with pytest.raises(InputError, match=f"steps must be {words}"):
        Budget(steps=steps)


def test_a_large_limit_is_said_in_full():
    ledger = Ledger(Budget(steps=12_345_678))
    ledger.charge("rollout", Usage(steps=12_345_678))
    with pytest.raises(Stopped, match="steps limit of 12345678 reached"), ledger.admit("rollout"):
        pass
