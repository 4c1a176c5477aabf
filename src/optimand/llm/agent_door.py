"""A client whose replies are another program's tool calls: the engine waits for the agent."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event
from typing import Any

from optimand.core.errors import Stopped
from optimand.core.model import Reply, Request
from optimand.core.record import Usage

__all__ = ["AgentDoor"]

OVER = "the session has ended"


class AgentDoor:
    """The role "agent" of the method oeo, played by whoever calls `act`.

    `act(action)` hands over one action and returns what the engine says of it. It may be called
    from any event loop; one call at a time is carried out. `contract()` is what the agent must know
    first. After `end(text)` both answer with that text, and a search that still
    waits for an action ends as interrupted, so that it can be resumed.
    """

    def __init__(self, name: str = "agent") -> None:
        self.name = name
        self.width = 1
        self._actions: SimpleQueue[tuple[Any, Future[str]] | None] = SimpleQueue()
        self._pending: Future[str] | None = None
        self._contract = ""
        self._begun = Event()
        self._last = ""

    async def complete(self, request: Request) -> Reply:
        """Tell the agent how its last action went, and wait for the next."""
        self._contract = request.messages[0].content
        self._begun.set()
        self._answer(request.messages[-1].content)
        taken = await asyncio.to_thread(self._actions.get)
        if taken is None:
            raise Stopped("interrupted", "the agent is gone")
        action, self._pending = taken
        return Reply(json.dumps(action, ensure_ascii=False, default=str), action, Usage(calls=1))

    async def contract(self) -> str:
        """The contract, as soon as the engine is ready for actions."""
        await asyncio.to_thread(self._begun.wait)
        return self._last or self._contract

    async def act(self, action: Any) -> str:
        """Carry out one action."""
        if self._last:
            return self._last
        answer: Future[str] = Future()
        self._actions.put((action, answer))
        if self._last:  # it ended in between, and nobody takes from the queue any more
            return self._last
        return await asyncio.wrap_future(answer)

    def end(self, text: str = OVER) -> None:
        """Answer what waits, and everything after it, with `text`."""
        self._last = text or OVER
        self._begun.set()
        self._answer(self._last)
        while not self._actions.empty():
            taken = self._actions.get()
            if taken is not None and not taken[1].done():
                taken[1].set_result(self._last)
        self._actions.put(None)

    def _answer(self, text: str) -> None:
        if self._pending is not None and not self._pending.done():
            self._pending.set_result(text)
        self._pending = None

    async def close(self) -> None:
        """Nothing to free: `end` says when the session is over."""
