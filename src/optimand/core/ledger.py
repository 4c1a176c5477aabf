"""The ledger: what was spent, what is in flight, and whether one more call fits."""

from __future__ import annotations

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
    """A place in the ledger for one call in flight; `settle` replaces the estimate by the facts."""

    __slots__ = ("usage",)

    def __init__(self) -> None:
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
        "seconds": seconds,
        **{name: doors.get(door, 0) for name, door in COUNTED.items()},
    }


class Ledger:
    """Checks a budget before each call and charges it after; a child charges its parent too.

    The cost of a call that has not returned is estimated by the mean of its door so far (at first
    one call, no tokens), so that N calls in flight do not run past a limit together.
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
        return totals(self.usage, self.doors, self.seconds)

    def end(self, reason: str) -> None:
        """Admit no call any more: each is answered by Stopped(reason)."""
        self._ending = reason

    @contextmanager
    def admit(self, door: str, calls: int = 1) -> Iterator[Hold]:
        """Reserve one call through `door`; raises Stopped("budget") when it does not fit.

        calls: how many model calls it may come to, where that is known.
        """
        chain = self._chain()
        for ledger in chain:
            ledger._check(door, calls)
        hold = Hold()
        for ledger in chain:
            ledger._in_flight[door] += 1
        done = False
        try:
            yield hold
            done = True
        finally:
            for ledger in chain:
                ledger._in_flight[door] -= 1
                ledger._add(door, hold.usage, int(done))

    def charge(self, door: str, usage: Usage, times: int = 1) -> None:
        """Charge a call of an earlier session, without any check."""
        for ledger in self._chain():
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

    def _check(self, door: str, calls: int) -> None:
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
                fits = self._expected(name, ahead) + more <= limit * (1 + 1e-12)
            if not fits:
                raise Stopped("budget", f"{name} limit of {limit:g} reached")

    def _expected(self, name: str, ahead: Mapping[str, int]) -> float:
        """The total if the calls ahead, by door, cost what such calls cost on average."""
        if name in COUNTED:
            door = COUNTED[name]
            return self.doors[door] + ahead.get(door, 0)
        total: float = getattr(self.usage, name)
        for door, count in ahead.items():
            if count:
                seen = self.doors[door]
                usage = self._by_door[door] if seen else _ONE_CALL
                total += getattr(usage, name) * count / max(seen, 1)
        return total
