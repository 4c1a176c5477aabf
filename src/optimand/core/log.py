"""The log of a run: cached calls, group commit, and what is left to replay."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from optimand.core.store import Event, Journal

__all__ = ["Log"]


class Log:
    """Writes events so that many calls finishing together share one commit.

    `write` returns once its events are committed. What was in the journal at the start is
    history: each such event is replayed, once, to whoever asks for its key. `gather` lets calls
    that finish in the same turn of the event loop share one commit. Within `held`, events that may
    wait share the commit of the next one that may not, or the last.
    """

    def __init__(self, journal: Journal, *, gather: bool = False) -> None:
        self.journal = journal
        self._gather = gather or not journal.immediate
        self.history = journal.keys()
        self._known = set(self.history)
        self._past = journal.events()
        self._ahead: dict[str, Event] = {}
        self._holds = 0
        self._waiting: dict[str, Event] = {}
        self._buffer: list[Event] = []
        self._batch: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None
        self.deliveries: deque[int] = deque()
        self.elapsed = 0.0
        for event in journal.events(("outcome", "snapshot", "verdict")):
            self.elapsed = max(self.elapsed, event.at)
            if event.kind == "outcome":
                self.deliveries.append(int(event.body["action"]))

    def find(self, key: str) -> tuple[Event, bool] | None:
        """The event with this key and whether it comes from an earlier session, unseen so far."""
        if key not in self._known:
            waiting = self._waiting.get(key)
            return None if waiting is None else (waiting, False)
        fresh = key in self.history
        event = self._replayed(key) if fresh else self.journal.find(key)
        self.history.discard(key)
        return None if event is None else (event, fresh)

    def _replayed(self, key: str) -> Event | None:
        """Read ahead where each look costs a journey: a run asks in about the order of its log."""
        if self.journal.immediate:
            return self.journal.find(key)
        while key not in self._ahead:
            event = next(self._past, None)
            if event is None:
                return self.journal.find(key)
            if event.key in self.history:
                self._ahead[event.key] = event
        return self._ahead.pop(key)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Within, events that `may_wait` are not committed one by one; after it, all are."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._waiting and not self._holds:
                await self.write(())

    async def write(self, events: Sequence[Event], *, may_wait: bool = False) -> None:
        """Append `events`; they are committed when this returns, or `held` ends if they may wait.

        Those that may wait need a key, by which they are found meanwhile.
        """
        if may_wait and self._holds:
            self._waiting.update((event.key, event) for event in events)
            return
        waiting = tuple(self._waiting.values())  # found until they are committed
        await self._written((*waiting, *events))
        for event in waiting:
            self._waiting.pop(event.key, None)

    async def _written(self, events: Sequence[Event]) -> None:
        if not self._gather:
            self._commit(events)
            return
        self._buffer.extend(events)
        if self._batch is None:
            loop = asyncio.get_running_loop()
            self._batch = loop.create_future()
            loop.call_soon(self._start)
        await asyncio.shield(self._batch)

    def _commit(self, events: Sequence[Event]) -> None:
        self.journal.append(events)
        self._known.update(event.key for event in events if event.key)

    def _start(self) -> None:
        if self._batch is None:  # closed meanwhile
            return
        if self.journal.immediate:
            self._flush()
        else:
            self._writer = asyncio.ensure_future(self._flush_in_thread())

    def _take(self) -> tuple[list[Event], asyncio.Future[None] | None]:
        taken = self._buffer, self._batch
        self._buffer, self._batch = [], None
        return taken

    def _flush(self) -> None:
        events, batch = self._take()
        with _settling(batch):
            self._commit(events)

    async def _flush_in_thread(self) -> None:
        async with self._turn:
            events, batch = self._take()
            with _settling(batch):
                await asyncio.to_thread(self._commit, events)

    def close(self) -> None:
        """Commit what is left and release the study, in any case."""
        events, batch = self._take()
        try:
            if events:
                self._commit(events)
        finally:
            if batch is not None:
                batch.cancel()
            self.journal.close()


@contextmanager
def _settling(batch: asyncio.Future[None] | None) -> Iterator[None]:
    """Tell those who wrote how their commit went."""
    try:
        yield
    except Exception as error:
        if batch is not None:
            batch.set_exception(error)
            batch.exception()  # mark as seen: those who wrote may all be cancelled
    else:
        if batch is not None:
            batch.set_result(None)
