"""What the user's own code gives and raises: it may be anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from optimand.core.errors import InputError, OptimandError, Stopped

__all__ = ["CRASHES", "crashed", "failing_as", "interrupted", "number", "said", "shown", "staying"]

_LONG = 200
CRASHES = (Exception, SystemExit, GeneratorExit)
"""What is a fault of the code that raises it. `sys.exit` in a judge, or in what it calls, must not
end the program that asks it. KeyboardInterrupt is none: it is a person's wish to stop the run."""
_ENDS = (SystemExit, GeneratorExit)


def shown(value: Any) -> str:
    """The value for a message: its repr, cut where it is long, or its type where that fails."""
    try:
        text = repr(value)
    except CRASHES:
        return f"a {type(value).__name__}"
    return text if len(text) <= _LONG else f"{text[:_LONG]}..."


def said(error: BaseException) -> str:
    """The type and the text of an error, also of one that cannot say itself."""
    try:
        return f"{type(error).__name__}: {error}"
    except CRASHES:
        return type(error).__name__


def number(value: Any) -> float | None:
    """The value as a float, or None unless it is a number, or one of numpy's, in [0, 1]."""
    item = getattr(value, "item", None)
    try:
        plain = item() if callable(item) else value
        fits = isinstance(plain, int | float) and 0 <= plain <= 1
    except CRASHES:  # an array of several numbers, or an object of the user's own
        return None
    return float(plain) if fits else None


def crashed(error: BaseException) -> bool:
    """Whether this is an error of the code that raised it, and not a wish to stop it.

    A cancellation is one where nobody cancelled the task that it comes out of.
    """
    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, CRASHES)
    try:
        task = asyncio.current_task()
    except RuntimeError:  # in a thread of its own
        return True
    return task is None or not task.cancelling()


def interrupted() -> Stopped:
    """What ends a run as Ctrl-C does."""
    return Stopped("interrupted", "run the same command again to go on")


@contextmanager
def staying(what: str) -> Iterator[None]:
    """Within, `sys.exit` is an InputError that names what called it, and a Ctrl-C is Stopped.

    In a task or a thread of an event loop, either would break the loop and lose what is in flight;
    so would a GeneratorExit, which is taken for a `sys.exit`.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise interrupted() from error
    except _ENDS as error:
        raise InputError(
            f"{what} wanted to end the program ({said(error)}). Let it raise an error instead."
        ) from error


class failing_as:
    """Within, an error of the user's code is raised as the one that `make` makes of it.

    Our own errors, and wishes to stop the code, pass as they are; a Ctrl-C is Stopped.
    """

    def __init__(self, make: Callable[[BaseException], Exception]) -> None:
        self._make = make

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, KeyboardInterrupt):
            raise interrupted() from error
        if error is not None and not isinstance(error, OptimandError) and crashed(error):
            raise self._make(error) from error
