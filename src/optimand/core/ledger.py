"""The ledger: what was spent, what is in flight, and whether one more call fits."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from optimand.core.budget import Budget
from optimand.core.errors import Stopped
from optimand.core.record import NOTHING, Usage

__all__ = ["Hold", "Ledger", "totals"]

COUNTED = {"rollouts": "rollout", "comparisons": "comparison"}
"""The doors whose calls have a limit of their own."""
_ONE_CALL = Usage(calls=1)


class Hold:
    """A place in the ledger for one call in flight; `settle` replaces the estimate by the facts.

    `steps`: how many each attempt may take at most, 0 where that is not known; `reserved`: all that
    are set aside for this call.
    """

    __slots__ = ("door", "reserved", "steps", "usage")

    def __init__(self, door: str, steps: int) -> None:
        self.door = door
        self.steps = self.reserved = steps
        self.usage = NOTHING

    def settle(self, usage: Usage) -> None:
        """State what the call really used; may be called once per attempt."""
        self.usage = usage if self.usage is NOTHING else self.usage + usage


def totals(usage: Usage, doors: Mapping[str, int], seconds: float) -> dict[str, float]:
    """What was spent, by the names that Budget uses; `unpriced` are calls that `usd` leaves out."""
    return {
        "calls": usage.calls,
        "tokens": usage.tokens,
        "usd": usage.usd,
        "unpriced": usage.unpriced,
        "steps": usage.steps,
        "seconds": seconds,
        **{name: doors.get(door, 0) for name, door in COUNTED.items()},
    }


class Ledger:
    """Checks a budget before each call and charges it after; a child charges its parent too.

    The cost of a call that has not returned is estimated by the mean of its door so far (at first
    one call, no tokens), so that N calls in flight do not run past a limit together. Environment
    steps are reserved instead where it is known how many a call takes at most: their limit is then
    never passed.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        parent: Ledger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = (budget or Budget()).limits()
        self.parent = parent
        self.usage = NOTHING
        self.doors: Counter[str] = Counter()
        self._in_flight: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()
        self._freed = asyncio.Event()
        self._logged = 0
        self._by_door: dict[str, Usage] = defaultdict(Usage)
        self._clock = clock
        self._started = clock()
        self._ending = ""

    def child(self, budget: Budget | None = None) -> Ledger:
        """A ledger for part of the run, with limits of its own."""
        return Ledger(budget, self, self._clock)

    @property
    def seconds(self) -> float:
        """Active time in seconds, earlier sessions included."""
        return self._clock() - self._started

    def resume_at(self, seconds: float) -> None:
        """Count `seconds` of active time from earlier sessions."""
        self._started = min(self._started, self._clock() - seconds)

    def spent(self) -> dict[str, float]:
        """See `totals`."""
        return totals(self.usage + Usage(steps=self._logged), self.doors, self.seconds)

    def logged(self, steps: int) -> None:
        """Count these steps of earlier sessions, until `charge` says what they were for.

        A run that goes on otherwise than it went never asks for some of what they were for.
        """
        self._logged = steps

    def end(self, reason: str) -> None:
        """Admit no call any more: each is answered by Stopped(reason)."""
        self._ending = reason

    async def room(self, steps: int) -> None:
        """Wait while `steps` do not fit only because calls in flight may yet take theirs.

        Most take fewer than were reserved: to stop at once would leave much of a limit unused, and
        how much would depend on how fast they are.
        """
        if not steps:
            return
        chain = self._chain()
        while any(ledger._crowded(steps) for ledger in chain):
            await chain[-1]._freed.wait()

    @contextmanager
    def admit(self, door: str, calls: int = 1, steps: int = 0) -> Iterator[Hold]:
        """Reserve one call through `door`; raises Stopped("budget") when it does not fit.

        calls: how many model calls it may come to, steps: how many steps in environments, where
        that is known.
        """
        chain = self._chain()
        for ledger in chain:
            ledger._check(door, calls, steps)
        hold = Hold(door, steps)
        for ledger in chain:
            ledger._in_flight[door] += 1
            ledger._reserved[door] += steps
        done = False
        try:
            yield hold
            done = True
        finally:
            for ledger in chain:
                ledger._in_flight[door] -= 1
                ledger._reserved[door] -= hold.reserved
                ledger._add(door, hold.usage, int(done))
            chain[-1]._freed.set()
            chain[-1]._freed.clear()

    def again(self, hold: Hold) -> bool:
        """Reserve the steps of one more attempt at the call; whether they fit."""
        more = hold.usage.steps + hold.steps - hold.reserved
        chain = self._chain()
        if hold.steps and not all(ledger._extends(hold.door, more) for ledger in chain):
            return False
        for ledger in chain:
            ledger._reserved[hold.door] += more
        hold.reserved += more
        return True

    def charge(self, door: str, usage: Usage, times: int = 1) -> None:
        """Charge a call of an earlier session, without any check."""
        for ledger in self._chain():
            ledger._logged = max(0, ledger._logged - usage.steps)
            ledger._add(door, usage, times)

    def _chain(self) -> list[Ledger]:
        chain, ledger = [], self
        while True:
            chain.append(ledger)
            if ledger.parent is None:
                return chain
            ledger = ledger.parent

    def _add(self, door: str, usage: Usage, times: int) -> None:
        if usage is not NOTHING:
            self.usage = self.usage + usage
            self._by_door[door] = self._by_door[door] + usage
        self.doors[door] += times

    def _crowded(self, steps: int) -> bool:
        """Whether `steps` fit, but not beside all that calls in flight may take."""
        limit = self.limits.get("steps")
        if limit is None or self._ending:
            return False
        free = limit - self.usage.steps - self._logged - steps
        return 0 <= free < sum(self._reserved.values())

    def _extends(self, door: str, more: int) -> bool:
        limit = self.limits.get("steps", math.inf)
        return self._expected("steps", self._in_flight, {door: more}) <= limit

    def _check(self, door: str, calls: int, steps: int) -> None:
        if self._ending:
            raise Stopped(self._ending)
        if not self.limits:
            return
        if "usd" in self.limits and self.usage.unpriced:
            raise Stopped(
                "budget",
                "a limit in usd cannot be kept, since the price of the model is not known: "
                "give its price, or limit tokens or calls instead",
            )
        ahead = {**self._in_flight, door: self._in_flight[door] + 1}
        for name, limit in self.limits.items():
            if name == "seconds":
                fits = self.seconds < limit
            else:
                more = max(0, calls - 1) if name == "calls" else 0
                reserve = {door: steps} if name == "steps" else {}
                fits = self._expected(name, ahead, reserve) + more <= limit * (1 + 1e-12)
            if not fits:
                next_ = f" (the next run may take {steps})" if name == "steps" and steps else ""
                raise Stopped("budget", f"{name} limit of {limit:.12g} reached{next_}")

    def _expected(self, name: str, ahead: Mapping[str, int], reserve: Mapping[str, int]) -> float:
        """The total if the calls ahead, by door, cost what such calls cost on average.

        Of steps all that are reserved count, and what is to be reserved now.
        """
        if name in COUNTED:
            door = COUNTED[name]
            return self.doors[door] + ahead.get(door, 0)
        total: float = getattr(self.usage, name) + (self._logged if name == "steps" else 0)
        for door, count in ahead.items():
            if count:
                seen = self.doors[door]
                usage = self._by_door[door] if seen else _ONE_CALL
                least = self._reserved[door] + reserve.get(door, 0) if name == "steps" else 0
                total += max(least, getattr(usage, name) * count / max(seen, 1))
        return total
