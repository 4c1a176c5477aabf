"""When a failed call is tried again: full-jitter backoff and what Retry-After says."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime

from optimand.core.given import need_number, need_whole

__all__ = ["Retries", "retry_after"]


@dataclass(frozen=True, slots=True)
class Retries:
    """How patient a client is; times in seconds.

    `attempts` counts the first try. A wait is drawn from [0, min(longest, base * 2^k)] before
    retry k = 1, 2, ... (full jitter: M. Brooker, "Exponential backoff and jitter", 2015); where the
    service asks for a wait, a draw from [0, base] is added to that. `attempt_timeout` bounds one
    try, `total_timeout` all of them with the waits between. Tests give their own time and dice.
    """

    attempts: int = 5
    base: float = 0.5
    longest: float = 30.0
    attempt_timeout: float = 120.0
    total_timeout: float = 600.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    rng: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        need_whole(self.attempts, "retries: attempts")
        for name in ("base", "longest"):
            need_number(getattr(self, name), f"retries: {name}")
        for name in ("attempt_timeout", "total_timeout"):
            need_number(getattr(self, name), f"retries: {name}", above=True)

    def wait(self, retry: int, asked: float | None = None) -> float:
        """Seconds to wait before the given retry (1, 2, ...), `asked` of them by the service."""
        if asked is not None:
            return asked + self.rng.uniform(0.0, self.base)
        return self.rng.uniform(0.0, min(self.longest, self.base * 2.0**retry))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that a Retry-After header asks to wait, or None without a usable one.

    `now` is in seconds since 1970, for headers that give a date (RFC 9110, section 10.2.3).
    """
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
            when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
            seconds = when.timestamp() - now
        except (ValueError, OverflowError, TypeError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
