"""The loop and the doors: what is in flight, what fails, what is charged."""

import asyncio
import math
from dataclasses import dataclass

import pytest

from optimand.core.action import Rollout
from optimand.core.artifact import Artifact, Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError, Stopped
from optimand.core.example import Endless
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive, perform
from optimand.core.record import Record, Usage
from optimand.core.run import Run
from optimand.core.verdict import Verdict
from optimand.storage.memory import MemoryStore


class Subject:
    """A task whose executions are given by a function of (example id, how often called)."""

    name = "subject"
    population = "sample"
    judge = None

    def __init__(self, answer, width=1):
        self.splits = {"all": Endless()}
        self.answer, self.width, self.calls = answer, width, []
        self.now = self.most = 0

    def fingerprint(self):
        return "1"

    def check(self, artifact):
        return []

    async def execute(self, candidate, example, seed):
        self.calls.append(example.id)
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(1 + 9 * (int(example.id) % 3)):
            await asyncio.sleep(0)
        self.now -= 1
        return self.answer(example.id, self.calls.count(example.id))

    async def close(self):
        pass


@dataclass
class Count:
    """Runs one candidate on `steps` examples and notes the order of the answers."""

    steps: int
    ordered: bool = False
    name: str = "count"

    def __call__(self, run):
        self.seen = []
        started = 0
        try:
            while len(self.seen) < self.steps:
                action = None
                if started < self.steps:
                    example = run.task.splits["all"][started]
                    action = Rollout(run.candidates[:1], (example,))
                    started += 1
                outcome = yield action
                if outcome is not None:
                    self.seen += [r.example for r in outcome.records]
            return Verdict(True, run.candidates[0].id, "separated", used=len(self.seen))
        except Stopped as stop:
            return Verdict(False, None, stop.reason, stop.detail, used=len(self.seen))


def ok(example, attempt):
    return Record("", example, score=1.0, usage=Usage(calls=1))


def run_it(task, strategy, store=None, budget=None):
    async def work():
        journal = (store or MemoryStore()).write("s", {})
        log = Log(journal, gather=task.width > 1)
        run = Run(task, [Candidate(Artifact({"v": 1}), "one")], log, Ledger(budget))
        run._pause = lambda seconds: asyncio.sleep(0)
        try:
            return await drive(run, strategy), run
        finally:
            log.close()

    return asyncio.run(work())


def test_slots_are_kept_full_and_arrivals_replay():
    store, first, again = MemoryStore(), Count(40), Count(40)
    task = Subject(ok, width=8)
    run_it(task, first, store)
    assert task.most == 8
    assert first.seen != sorted(first.seen, key=int)  # as they finished
    repeated = Subject(ok, width=8)
    run_it(repeated, again, store)
    assert again.seen == first.seen
    assert repeated.calls == []


def test_ordered_outcomes_do_not_depend_on_timing():
    strategy = Count(40, ordered=True)
    run_it(Subject(ok, width=8), strategy)
    assert strategy.seen == [str(i) for i in range(40)]


@pytest.mark.parametrize("width", [1, 8])
def test_a_budget_is_never_passed_and_what_was_paid_is_seen(width):
    verdict, run = run_it(Subject(ok, width), Count(40), budget=Budget(calls=17))
    assert verdict.reason == "budget"
    assert run.ledger.spent()["calls"] == 17
    assert verdict.used == 17


def test_a_failing_service_is_tried_again_and_never_a_loss():
    def shaky(example, attempt):
        if example == "5" and attempt < 3:
            return Record("", example, status="unknown", feedback="503")
        return ok(example, attempt)

    task = Subject(shaky)
    verdict, run = run_it(task, Count(10))
    assert verdict.decided
    assert task.calls.count("5") == 3
    assert run.ledger.spent()["rollouts"] == 10


@pytest.mark.parametrize("width", [1, 4])
def test_a_service_that_is_down_ends_undecided_and_resumes(width):
    def down(example, attempt):
        if int(example) >= 6:
            return Record("", example, status="unknown", feedback="connection refused")
        return ok(example, attempt)

    store = MemoryStore()
    verdict, _ = run_it(Subject(down, width), Count(12), store)
    assert verdict.reason == "unavailable"
    assert "connection refused" in verdict.detail
    healed = Subject(ok, width)
    verdict, _ = run_it(healed, Count(12), store)
    assert verdict.decided
    assert not set(healed.calls) & {str(i) for i in range(6)}


def test_a_broken_judgement_is_an_error_of_its_own():
    def broken(example, attempt):
        raise InputError("a judge said NaN")

    with pytest.raises(InputError, match="NaN"):
        run_it(Subject(broken, 4), Count(12))


def test_children_charge_their_parents():
    parent = Ledger(Budget(calls=3))
    child = parent.child(Budget(calls=2))
    for _ in range(2):
        with child.admit("ask") as hold:
            hold.settle(Usage(calls=1))
    with pytest.raises(Stopped, match="calls limit of 2"), child.admit("ask"):
        pass
    assert parent.spent()["calls"] == 2


class Counting(MemoryStore):
    """Notes how many events each commit holds."""

    def write(self, study, settings):
        journal = super().write(study, settings)
        self.commits, append = [], journal.append

        def noting(events):
            self.commits.append(len(events))
            append(events)

        journal.append = noting
        return journal


@pytest.mark.parametrize(
    ("given", "quick", "commits"),
    [
        ({"score": 0.5}, math.inf, [9]),
        ({"score": 0.5}, 0.0, [1] * 9),
        ({"score": 0.5, "usage": Usage(calls=1)}, math.inf, [1] * 9),
        ({"score": 0.5, "output": ["may", "change"]}, math.inf, [1] * 9),
    ],
    ids=["free", "slow", "paid", "held by the user's code"],
)
def test_results_of_one_step_share_a_commit_where_losing_them_costs_nothing(
    given, quick, commits, monkeypatch
):
    monkeypatch.setattr("optimand.core.run.QUICK_SECONDS", quick)
    task = Subject(lambda example, times: Record("", example, **given))
    store = Counting()
    log = Log(store.write("study", {}))
    run = Run(task, [Candidate(Artifact({"value": 1}), "a")], log, Ledger())

    async def work():
        action = Rollout(tuple(run.candidates), task.splits["all"][:9])
        async with log.held():
            return (await perform(run, action)).records

    records = asyncio.run(work())
    assert [record.score for record in records] == [0.5] * 9
    assert store.commits == commits
