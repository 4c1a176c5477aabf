"""Reading what a user's function answered."""

from __future__ import annotations

import traceback
from typing import Any

from optimand.core.artifact import Artifact
from optimand.core.errors import InputError

__all__ = ["crash_text", "subject", "unit"]


def subject(artifact: Artifact) -> Any:
    """What a user's function receives: the live object, the single `value`, or all the parts."""
    if artifact.ref is not None:
        return artifact.ref
    return artifact.parts["value"] if list(artifact.parts) == ["value"] else artifact.parts


def unit(value: Any, what: str) -> float:
    """The value as a float. Raises InputError unless it is a number in [0, 1]."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value  # numpy scalars
    if not isinstance(plain, int | float) or not 0 <= plain <= 1:
        raise InputError(f"{what} answered {plain!r}. It must answer a number from 0 to 1.")
    return float(plain)


def crash_text(error: Exception) -> str:
    """The error and the last lines of the user's code that led to it."""
    # The first frame is ours: the call of the user's function.
    frames = traceback.extract_tb(error.__traceback__)[1:][-3:]
    where = "; ".join(f"{frame.name}, line {frame.lineno}: {frame.line}" for frame in frames)
    text = f"{type(error).__name__}: {error}"
    return f"{text} ({where})" if where else text
