"""Threads for user code that blocks, which never keep the process from ending."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

__all__ = ["DaemonPool", "close_unbegun", "in_pool"]

P = ParamSpec("P")
T = TypeVar("T")
_Item = tuple["Future[Any]", Callable[[], Any]]


class DaemonPool(Executor):
    """At most `width` threads, started as needed.

    ThreadPoolExecutor's threads are waited for when Python ends, so one call that does not return
    keeps the process for ever. These are daemons: what they are at is given up then. After
    `shutdown` an idle thread ends at once, a busy one after its call.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._items: SimpleQueue[_Item | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See Executor. Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("this pool is closed")
            self._items.put((future, lambda: fn(*args, **kwargs)))
            if not self._idle.acquire(blocking=False) and self._threads < self._width:
                self._threads += 1
                name = f"optimand {self._threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        return future

    def _work(self) -> None:
        while (item := self._items.get()) is not None:
            future, call = item
            if future.set_running_or_notify_cancel():
                _settle(future, call)
            del item, future, call  # or the last result would live as long as this thread is idle
            self._idle.release()
        self._items.put(None)  # for the next thread

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Take no more calls. It never waits for those that run."""
        with self._lock:
            self._closed = True
            while cancel_futures and not self._items.empty():
                item = self._items.get()
                if item is not None:
                    item[0].cancel()
            self._items.put(None)


async def in_pool(pool: Executor, function: Callable[..., T], *args: Any) -> T:
    """What the function returns in a thread of the pool."""
    call = pool.submit(function, *args)
    try:
        return await asyncio.wrap_future(call)
    except asyncio.CancelledError:
        call.add_done_callback(_unawaited)
        raise


def _unawaited(call: Future[Any]) -> None:
    """What came too late for its caller."""
    if not call.cancelled() and call.exception() is None:
        close_unbegun(call.result())


def close_unbegun(value: Any) -> None:
    """Close a coroutine that nobody will await, and those that it was given: Python warns of each.

    One that has begun is left alone, and so is what is no coroutine.
    """
    if inspect.iscoroutine(value) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED:
        within = inspect.getcoroutinelocals(value)  # it has not begun: these are its arguments
        value.close()
        for argument in within.values():
            close_unbegun(argument)


def _settle(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
