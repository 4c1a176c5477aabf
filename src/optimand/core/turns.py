"""Taking turns: so many at once, the others in the order in which they asked."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

__all__ = ["Turns"]


class Turns:
    """`async with turns.here():` waits for one of `width` places, of each event loop its own."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._places = WeakKeyDictionary()

    def here(self) -> asyncio.Semaphore:
        """The places of the running event loop."""
        return self._places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._width))
