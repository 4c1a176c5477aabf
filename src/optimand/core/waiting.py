"""From a plain call into a coroutine and back, also where an event loop is running already."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["wait_for"]

T = TypeVar("T")
LOOK_SECONDS = 0.1


def wait_for(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine that `make` gives; in a thread of its own in a notebook.

    A Ctrl-C, or a cancellation of the task that calls, cancels it, and what it then returns is
    returned; a second Ctrl-C raises KeyboardInterrupt at once.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    return _Thread(make).result()


class _Thread(Generic[T]):
    """A coroutine that runs in a thread, under an event loop of its own."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._make = make
        self._begun = threading.Event()
        self._done = threading.Event()
        self._found: list[T] = []
        self._error: BaseException | None = None
        # A daemon: after a second Ctrl-C, a call that does not return must not keep the process.
        self._thread = threading.Thread(target=self._work, name="optimand", daemon=True)

    def _work(self) -> None:
        try:
            self._found.append(asyncio.run(self._main()))
        except BaseException as error:
            self._error = error
        finally:
            self._begun.set()
            self._done.set()

    async def _main(self) -> T:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._begun.set()
        return await self._make()

    def result(self) -> T:
        self._thread.start()
        try:
            self._watch()
        except KeyboardInterrupt:
            self._cancel()
            self._done.wait()
            if isinstance(self._error, asyncio.CancelledError):
                raise  # it was stopped before there was anything to return
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _watch(self) -> None:
        """Wait for the end: not by `join`, which cannot be repeated once it was interrupted."""
        caller = asyncio.current_task()
        asked = caller.cancelling() if caller else 0
        while not self._done.wait(LOOK_SECONDS):
            # `asyncio.run` makes a Ctrl-C a cancellation, which is not heard while we block here.
            if caller is not None and caller.cancelling() > asked:
                asked = caller.cancelling()
                self._cancel()

    def _cancel(self) -> None:
        self._begun.wait()
        with contextlib.suppress(RuntimeError):  # it has just ended
            if self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
