"""Await many calls at once without wasting what was paid for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from optimand.core.errors import ServiceUnavailable, Stopped

__all__ = ["all_of"]

T = TypeVar("T")


async def all_of(calls: Sequence[Awaitable[T]]) -> list[T]:
    """The results in order; a call that fails ends the others, unless they are paid for.

    After a spent budget or a service that is down, calls in flight may finish first.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException as error:
        if isinstance(error, Stopped | ServiceUnavailable):
            await asyncio.wait(tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
