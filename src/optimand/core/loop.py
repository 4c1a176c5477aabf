"""The loop that runs a strategy: as many actions in flight as there is room for, no barrier."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable

from optimand.core.action import Action, Compare, Outcome, Rollout, Steps, Strategy, Work
from optimand.core.errors import OptimandError, ServiceUnavailable, Stopped
from optimand.core.gather import all_of
from optimand.core.run import Run
from optimand.core.store import Event
from optimand.core.usercode import interrupted
from optimand.core.verdict import Verdict

__all__ = ["drive", "perform"]

SNAPSHOTS = 0.01
"""A snapshot is logged when 1 % more active time has passed, and at least a second."""
GRACE_SECONDS = 3.0
LOOKAHEAD = 4
"""How many executions an ordered strategy may be ahead of its outcomes, in multiples of the width.
With 1, a slow call at the head leaves most slots empty (of 64, 56 % at lognormal latencies with
sigma 0.5; with 4, 2 %)."""
AHEAD = 8
"""Going further ahead than the width costs executions that a later decision would have saved: so
only by one for every so many outcomes. Both are fixed: decisions must not depend on timing."""


async def perform(run: Run, action: Action) -> Outcome:
    """Carry out one action through the run's doors."""
    if isinstance(action, Rollout):
        return await _rolled(run, action)
    if isinstance(action, Compare):
        await run.breathe()
        found = await run.compared(action.a, action.b, action.example, action.repeat)
        return Outcome(action, records=found[1], comparison=found[0])
    if isinstance(action, Work):
        await run.breathe()
        return await action.perform(run)
    raise OptimandError(f"a strategy yielded {action!r}, which is not an action")


async def _rolled(run: Run, action: Rollout) -> Outcome:
    pairs = [(c, e) for e in action.examples for c in action.candidates]
    if run.task.width <= 1 or len(pairs) == 1:
        records = []
        for candidate, example in pairs:
            await run.breathe()
            records.append(await run.rollout(candidate, example, action.repeat))
    else:
        records = await all_of([run.rollout(c, e, action.repeat) for c, e in pairs])
    return Outcome(action, records=tuple(records))


def _executions(run: Run, action: Action) -> int:
    """How many executions an action asks for, at most."""
    if isinstance(action, Rollout):
        return len(action.candidates) * len(action.examples)
    if isinstance(action, Work):
        return action.weight
    judge = run.task.judge
    return 2 if judge is not None and judge.kind == "pair" and judge.needs_outputs else 1


class _Pace:
    """Says when the observer and the log are due for a snapshot."""

    def __init__(self) -> None:
        self.look = time.monotonic() + 0.25
        self.log = self.look + 0.5

    def done(self, began: float, elapsed: float, logged: bool) -> None:
        """Spend at most a tenth of the time on looking."""
        now = time.monotonic()
        self.look = now + max(0.25, 10 * (now - began))
        if logged:
            self.log = now + max(1.0, SNAPSHOTS * elapsed)


class _Ended(Exception):
    """Carries the verdict out of coroutines, which StopIteration may not leave."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        self.verdict = verdict


class _Loop:
    def __init__(
        self, run: Run, strategy: Strategy, observe: Callable[[Verdict, Run], None] | None
    ) -> None:
        self.run = run
        self.ordered = strategy.ordered
        self.width = max(1, run.task.width)
        self.steps: Steps = strategy(run)
        self.started = 0
        self.in_flight: dict[int, tuple[asyncio.Task[Outcome], int]] = {}
        self.pending = self.seen = 0
        self.finished: deque[int] = deque()
        self.bell = asyncio.Event()
        self.observe = observe
        self.pace = _Pace()

    async def to_the_end(self) -> Verdict:
        try:
            return await self._advance()
        except _Ended as end:
            return end.verdict

    def _send(self, outcome: Outcome | None) -> Action | None:
        try:
            return self.steps.send(outcome)
        except StopIteration as end:
            raise _Ended(_verdict(end)) from None

    async def _advance(self) -> Verdict:
        action = self._send(None)
        if self.width == 1:
            while action is not None:
                self.started += 1
                action = self._send(await perform(self.run, action))
                await self._look()
            raise OptimandError("the strategy waits, but nothing is in flight")
        while True:
            while action is not None:
                self._start(action)
                if self.pending >= self._room():
                    break
                action = self._send(None)
            if not self.in_flight:
                raise OptimandError("the strategy waits, but nothing is in flight")
            action = self._send(await self._next_outcome())
            await self._look()

    def _room(self) -> int:
        """How many executions may be asked for and not yet seen; `width` at a time are made."""
        if not self.ordered:
            return self.width
        return self.width + min((LOOKAHEAD - 1) * self.width, self.seen // AHEAD)

    def _start(self, action: Action) -> None:
        task = asyncio.ensure_future(perform(self.run, action))
        number, weight = self.started, _executions(self.run, action)
        self.in_flight[number] = task, weight
        self.pending += weight
        self.started += 1
        if not self.ordered:
            task.add_done_callback(lambda _: self._ring(number))

    def _ring(self, number: int) -> None:
        self.finished.append(number)
        self.bell.set()

    async def _next_outcome(self) -> Outcome:
        replayed = False
        if self.ordered:
            number = next(iter(self.in_flight))
        elif self.run.log.deliveries:
            number, replayed = self.run.log.deliveries.popleft(), True
            if number not in self.in_flight:
                raise OptimandError(
                    "the log of this study does not fit its settings: it was written by another "
                    "version or with other candidates; use a new study name"
                )
        else:
            number = await self._first_done()
        # Shielded: an interrupt ends the run, but what is in flight is paid for and may finish.
        outcome = await asyncio.shield(self.in_flight[number][0])
        if not self.ordered and not replayed:
            await self._delivered(number)
        weight = self.in_flight.pop(number)[1]
        self.pending -= weight
        self.seen += weight
        return outcome

    async def _first_done(self) -> int:
        while True:
            while self.finished:
                number = self.finished.popleft()
                if number in self.in_flight:
                    return number
            self.bell.clear()
            await self.bell.wait()

    async def _look(self) -> None:
        began = time.monotonic()
        if began < self.pace.look or self.run.snapshot is None:
            return
        verdict = self.run.snapshot()
        if self.observe is not None:
            self.observe(verdict, self.run)
        elapsed = self.run.ledger.seconds
        log = began >= self.pace.log
        if log:
            await self.run.log.write([Event("snapshot", verdict.to_json(), at=elapsed)])
        self.pace.done(began, elapsed, log)

    async def drain(self) -> None:
        """Let all in flight finish and show the strategy what was paid for; start nothing new."""
        if not self.in_flight:
            return
        await asyncio.wait([task for task, _ in self.in_flight.values()])
        for number, (task, _) in list(self.in_flight.items()):
            if task.exception() is None:
                if not self.ordered:
                    await self._delivered(number)
                self._send(task.result())
            elif self.ordered:
                return

    async def _delivered(self, number: int) -> None:
        at = self.run.ledger.seconds
        await self.run.log.write([Event("outcome", {"action": number}, at=at)])

    async def close(self, grace: float) -> None:
        """Let calls in flight finish, at most `grace` seconds; then cancel the rest."""
        tasks = [task for task, _ in self.in_flight.values()]
        if not tasks:
            return
        if grace > 0:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def stop(self, reason: Stopped) -> Verdict:
        """Ask the strategy for what it knows."""
        try:
            if reason.reason == "budget":
                await self.drain()
            self.steps.throw(reason)
        except _Ended as end:
            return end.verdict
        except StopIteration as end:
            return _verdict(end)
        except Stopped:
            pass
        return Verdict(False, None, reason.reason, reason.detail)


def _verdict(end: StopIteration) -> Verdict:
    if not isinstance(end.value, Verdict):
        raise OptimandError(f"the strategy ended with {end.value!r}, which is not a verdict")
    return end.value


async def drive(
    run: Run,
    strategy: Strategy,
    observe: Callable[[Verdict, Run], None] | None = None,
) -> Verdict:
    """Run `strategy` to its verdict.

    A spent budget, a service that is down and a cancellation (Ctrl-C) end in a verdict too, after
    the calls in flight were given a moment to finish. Anything else that is raised by user code
    is raised here, with all calls cancelled.
    """
    loop = _Loop(run, strategy, observe)
    try:
        return await loop.to_the_end()
    except Stopped as reason:
        if reason.reason == "interrupted":  # by the user's own code, see core.usercode
            run.ledger.end("interrupted")
            await loop.close(GRACE_SECONDS)
        return await loop.stop(reason)
    except ServiceUnavailable as error:
        run.ledger.end("unavailable")
        await loop.close(GRACE_SECONDS)
        return await loop.stop(Stopped("unavailable", str(error)))
    except asyncio.CancelledError:
        run.ledger.end("interrupted")
        await loop.close(GRACE_SECONDS)
        return await loop.stop(interrupted())
    finally:
        await loop.close(0)
