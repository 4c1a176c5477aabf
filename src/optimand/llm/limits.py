"""How many calls an endpoint takes at once: slow start, additive increase, halving on overload."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import deque
from weakref import WeakKeyDictionary

from optimand.llm.retry import Retries

__all__ = ["Limiter", "Pace", "shared_limiter"]

MINUTE = 60.0


class Pace:
    """The arithmetic of an endpoint's limit, on times that the caller gives (seconds, any origin).

    Starts at `start` calls at once and doubles each round until the first overload, then adds one
    each round; an overload halves it, once for all the calls then in flight. Never above `width`
    or below 1. `per_minute` limits starts within any 60 seconds. (Jacobson 1988, "Congestion
    avoidance and control".)
    """

    def __init__(self, width: int, per_minute: int | None = None, start: int = 4) -> None:
        self.width = width
        self.per_minute = per_minute
        self.limit = float(min(start, width))
        self.active = 0
        self._slow_start = True
        self._resume = -math.inf
        self._cut = -math.inf
        self._starts: deque[float] = deque()

    def delay(self, now: float) -> float:
        """Seconds until a call may start; infinite if one has to end first."""
        if self.active >= int(self.limit):
            return math.inf
        wait = self._resume - now
        if self.per_minute is not None:
            while self._starts and self._starts[0] <= now - MINUTE:
                self._starts.popleft()
            if len(self._starts) >= self.per_minute:
                wait = max(wait, self._starts[-self.per_minute] + MINUTE - now)
        return max(0.0, wait)

    def start(self, now: float) -> None:
        """Count a call that starts."""
        self.active += 1
        if self.per_minute is not None:
            self._starts.append(now)

    def end(self) -> None:
        """Count a call that ended, however it did."""
        self.active -= 1

    def succeeded(self) -> None:
        """Allow more after a call that went well."""
        step = 1.0 if self._slow_start else 1.0 / self.limit
        self.limit = min(float(self.width), self.limit + step)

    def overloaded(self, now: float, started: float, cooldown: float = 0.0) -> None:
        """Allow less after a refused call that had `started`; start none for `cooldown` seconds."""
        self._resume = max(self._resume, now + cooldown)
        if started > self._cut:
            self._cut = now
            self._slow_start = False
            self.limit = max(1.0, self.limit / 2)


class Limiter:
    """A Pace that coroutines of one event loop wait at, by the clock of `time`."""

    def __init__(self, pace: Pace, time: Retries) -> None:
        self.pace = pace
        self._clock = time.clock
        self._sleep = time.sleep
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self, patience: float = math.inf) -> float | None:
        """Wait until a call may start; returns when it started. Pair it with `release`.

        None, with nothing to release, if the endpoint asks for a pause over `patience` seconds.
        """
        try:
            while delay := self.pace.delay(self._clock()):
                if math.isinf(delay):
                    await self._room()
                elif delay > patience:
                    self._wake()
                    return None
                else:
                    await self._sleep(delay)
        except asyncio.CancelledError:
            self._wake()  # the place that this one may have been woken for goes to the next
            raise
        now = self._clock()
        self.pace.start(now)
        return now

    async def _room(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            if future in self._waiting:
                self._waiting.remove(future)

    def release(self) -> None:
        """End a call and let those who wait know."""
        self.pace.end()
        self._wake()

    def overloaded(self, started: float, cooldown: float) -> None:
        """See `Pace.overloaded`."""
        self.pace.overloaded(self._clock(), started, cooldown)

    def _wake(self) -> None:
        for _ in range(max(0, int(self.pace.limit) - self.pace.active)):
            while self._waiting:
                future = self._waiting.popleft()
                if not future.done():
                    future.set_result(None)
                    break


_LOCK = threading.Lock()
_LIMITERS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Limiter]] = WeakKeyDictionary()


def shared_limiter(
    endpoint: str, width: int, per_minute: int | None = None, time: Retries | None = None
) -> Limiter:
    """The limiter of `endpoint` in the running loop, one for all its clients.

    Its width is the largest that a client asked for, its `per_minute` the smallest.
    """
    with _LOCK:
        limiters = _LIMITERS.setdefault(asyncio.get_running_loop(), {})
        limiter = limiters.get(endpoint)
        if limiter is None:
            limiter = limiters[endpoint] = Limiter(Pace(width, per_minute), time or Retries())
    pace = limiter.pace
    pace.width = max(pace.width, width)
    if per_minute is not None:
        pace.per_minute = min(pace.per_minute or per_minute, per_minute)
    return limiter
