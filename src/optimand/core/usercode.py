"""What the user's own code gives and raises: it may be anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from optimand.core.errors import OptimandError

__all__ = ["crashed", "failing_as", "number", "said", "shown"]

_LONG = 200


def shown(value: Any) -> str:
    """The value for a message: its repr, cut where it is long, or its type where that fails."""
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= _LONG else f"{text[:_LONG]}..."


def said(error: BaseException) -> str:
    """The type and the text of an error, also of one that cannot say itself."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def number(value: Any) -> float | None:
    """The value as a float, or None unless it is a number, or one of numpy's, in [0, 1]."""
    item = getattr(value, "item", None)
    try:
        plain = item() if callable(item) else value
        fits = isinstance(plain, int | float) and 0 <= plain <= 1
    except Exception:  # an array of several numbers, or an object of the user's own
        return None
    return float(plain) if fits else None


def crashed(error: BaseException) -> bool:
    """Whether this is an error of the code that raised it, and not a wish to stop it.

    A cancellation is one where nobody cancelled the task that it comes out of.
    """
    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, Exception)
    try:
        task = asyncio.current_task()
    except RuntimeError:  # in a thread of its own
        return True
    return task is None or not task.cancelling()


class failing_as:
    """Within, an error of the user's code is raised as the one that `make` makes of it.

    Our own errors, and wishes to stop the code, pass as they are.
    """

    def __init__(self, make: Callable[[BaseException], Exception]) -> None:
        self._make = make

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if error is not None and not isinstance(error, OptimandError) and crashed(error):
            raise self._make(error) from error
