"""Conformance of strategies: they decide by seed and log alone, and always end in a verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from optimand.core.action import Action, Compare, Outcome, Steps, Strategy
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import Stopped
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive, perform
from optimand.core.run import Run
from optimand.core.store import Event, Journal
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.storage.memory import MemoryStore
from optimand.testing.clauses import expect

__all__ = ["STRATEGY_CLAUSES", "Trial", "check_strategy"]


@dataclass(frozen=True)
class Trial:
    """A strategy with something to decide; runs are cut off at `limit` executions."""

    strategy: Strategy
    task: Task
    candidates: Sequence[Candidate]
    limit: int = 60
    seed: int = 7

    @property
    def replays(self) -> bool:
        """Whether a fresh run takes the same course, which timing may change for others."""
        return self.strategy.ordered or self.task.width <= 1


def check_strategy(
    strategy: Strategy, task: Task, candidates: Sequence[Candidate], *, limit: int = 60
) -> None:
    """Check every clause; raises AssertionError that names what is broken.

    `task` must answer from its arguments alone; its width is how many calls are kept in flight, so
    check with a width of 1 and of several. For one test per clause, parametrize over
    STRATEGY_CLAUSES, each of which takes a Trial.
    """
    for clause in STRATEGY_CLAUSES:
        clause(Trial(strategy, task, candidates, limit))


@dataclass
class _Noted:
    """A strategy that notes what it asked for."""

    strategy: Strategy
    actions: list[Action]

    @property
    def name(self) -> str:
        return self.strategy.name

    @property
    def ordered(self) -> bool:
        return self.strategy.ordered

    def __call__(self, run: Run) -> Steps:
        steps = self.strategy(run)
        give: Callable[[Any], Action | None] = steps.send
        value: Any = None
        while True:
            try:
                action = give(value)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if action is not None:
                self.actions.append(action)
            try:
                give, value = steps.send, (yield action)
            except Stopped as stop:
                give, value = steps.throw, stop


@dataclass
class _Course:
    """What a run did: its actions, verdict, log, and the keys of the calls it made itself."""

    actions: list[Action]
    verdict: Verdict
    events: list[Event]
    made: list[str]


def _run(trial: Trial, history: Sequence[Event] = (), limit: int | None = None) -> _Course:
    """Run on a log that already holds `history`."""
    most = trial.limit if limit is None else limit
    journal: Any = MemoryStore().write("trial", {})
    journal.append(history)
    made: list[str] = []
    append = journal.append

    def noting(events: Sequence[Event]) -> None:
        made.extend(event.key for event in events if event.key)
        append(events)

    journal.append = noting
    noted = _Noted(trial.strategy, [])

    async def work() -> Verdict:
        run = _make_run(trial, journal, Budget(rollouts=most, comparisons=most))
        return await drive(run, noted)

    verdict = asyncio.run(work())
    return _Course(noted.actions, verdict, list(journal.events()), made)


def _make_run(trial: Trial, journal: Journal, budget: Budget | None = None) -> Run:
    log = Log(journal, gather=trial.task.width > 1)
    return Run(trial.task, trial.candidates, log, Ledger(budget), seed=trial.seed)


def _some(total: int, most: int = 12) -> list[int]:
    """Numbers from 0 to `total`, with both ends, at most `most` + 1 of them."""
    return sorted({round(total * i / most) for i in range(most + 1)})


def ends_in_a_verdict(trial: Trial) -> None:
    """About the given candidates, at any limit, and without leaving one of them out."""
    ids = {c.id for c in trial.candidates}
    for limit in _some(trial.limit):
        verdict = _run(trial, limit=limit).verdict
        expect(isinstance(verdict, Verdict), "a strategy returns a Verdict")
        expect(verdict.best is None or verdict.best in ids, "the best is one of the candidates")
        expect({s.candidate for s in verdict.standings} == ids, "every candidate has a standing")
        expect(set(verdict.unresolved) <= ids, "the unresolved are candidates")
        expect(verdict.decided or verdict.reason != "separated", "separated means decided")
        expect(Verdict.from_json(verdict.to_json()) == verdict, "a verdict is plain data")


def same_seed_same_decisions(trial: Trial) -> None:
    """A strategy object holds no state of a run, and draws from the run's seed alone."""
    if not trial.replays:
        return
    first, second = _run(trial), _run(trial)
    expect(first.actions == second.actions, "the same seed gives the same actions")
    expect(first.verdict == second.verdict, "the same seed gives the same verdict")


def resumes_from_any_prefix(trial: Trial) -> None:
    """No call that the log holds is made again, and the run goes on as it would have."""
    whole = _run(trial)
    keys = {event.key for event in whole.events if event.key}
    expect(len(whole.made) == len(keys), "a run makes no call twice")
    for length in _some(len(whole.events)):
        history = [replace(event, seq=0) for event in whole.events[:length]]
        resumed = _run(trial, history)
        known = {event.key for event in history if event.key}
        expect(not known & set(resumed.made), f"no call of the first {length} events is repeated")
        if trial.replays:
            expect(resumed.actions == whole.actions, f"same actions after {length} events")
            expect(resumed.verdict == whole.verdict, f"same verdict after {length} events")
            expect(set(resumed.made) == keys - known, f"only what is missing after {length} events")


def a_whole_log_needs_no_call(trial: Trial) -> None:
    """Also where outcomes arrive as they finish: the log keeps their order."""
    whole = _run(trial)
    again = _run(trial, [replace(event, seq=0) for event in whole.events])
    expect(not again.made, "nothing is called when the log is complete")
    expect(again.actions == whole.actions, "the same log gives the same actions")
    expect(again.verdict == whole.verdict, "the same log gives the same verdict")


def stops_at_any_point(trial: Trial) -> None:
    """Stopped, thrown at any yield and for any reason, is answered with a verdict."""
    for number in _some(trial.limit):
        for reason in ("budget", "unavailable", "interrupted"):
            verdict = _by_hand(trial, number, Stopped(reason, "by the test"))
            fits = verdict.decided or verdict.reason in (reason, "cycle", "exhausted", "tied")
            expect(fits, f"undecided, stopped by {reason!r}: the verdict says {verdict.reason!r}")


def a_failed_service_says_nothing(trial: Trial) -> None:
    """Outcomes whose status is unknown decide nothing."""
    verdict = _by_hand(trial, trial.limit, Stopped("budget", "by the test"), _unknown)
    expect(not verdict.decided, "nothing is decided by calls that failed")


async def _answer(run: Run, action: Action) -> Outcome:
    return await perform(run, action)


async def _unknown(run: Run, action: Action) -> Outcome:
    outcome = await perform(run, action)
    if isinstance(action, Compare):
        assert outcome.comparison is not None
        failed = replace(outcome.comparison, outcome=None, status="unknown")
        return replace(outcome, comparison=failed)
    records = tuple(replace(r, score=None, status="unknown") for r in outcome.records)
    return replace(outcome, records=records)


def _by_hand(
    trial: Trial,
    number: int,
    stop: Stopped,
    answer: Callable[[Run, Action], Coroutine[Any, Any, Outcome]] = _answer,
) -> Verdict:
    """Give the strategy `number` outcomes one by one, then throw `stop`."""

    async def work() -> Verdict:
        run = _make_run(trial, MemoryStore().write("trial", {}))
        steps = trial.strategy(run)
        try:
            action = steps.send(None)
            for _ in range(number):
                expect(action is not None, "with nothing in flight a strategy does not wait")
                assert action is not None
                action = steps.send(await answer(run, action))
            steps.throw(stop)
        except StopIteration as end:
            expect(isinstance(end.value, Verdict), "a strategy returns a Verdict")
            return end.value  # type: ignore[no-any-return]
        raise AssertionError("the contract is broken: a strategy that is stopped must end")

    return asyncio.run(work())


STRATEGY_CLAUSES: tuple[Callable[[Trial], None], ...] = (
    ends_in_a_verdict,
    same_seed_same_decisions,
    resumes_from_any_prefix,
    a_whole_log_needs_no_call,
    stops_at_any_point,
    a_failed_service_says_nothing,
)
