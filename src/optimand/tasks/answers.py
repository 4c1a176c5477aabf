"""Reading what a user's function answered."""

from __future__ import annotations

import traceback
from typing import Any

from optimand.core.artifact import Artifact
from optimand.core.errors import InputError
from optimand.core.usercode import CRASHES, number, said, shown

__all__ = ["crash_text", "subject", "text", "unit"]


def subject(artifact: Artifact) -> Any:
    """What a user's function receives: the live object, the single `value`, or all the parts."""
    if artifact.ref is not None:
        return artifact.ref
    return artifact.parts["value"] if list(artifact.parts) == ["value"] else artifact.parts


def unit(value: Any, what: str) -> float:
    """The value as a float. Raises InputError unless it is a number in [0, 1]."""
    found = number(value)
    if found is None:
        raise InputError(f"{what} answered {shown(value)}. It must answer a number from 0 to 1.")
    return found


def text(value: Any, what: str) -> str:
    """The value as a text. Raises InputError for an object that cannot say itself."""
    try:
        return str(value)
    except CRASHES as error:
        raise InputError(
            f"{what} gave as feedback a {type(value).__name__}, whose text fails with {said(error)}"
        ) from None


def crash_text(error: BaseException) -> str:
    """The error and the last lines of the user's code that led to it."""
    # The first frame is ours: the call of the user's function.
    frames = traceback.extract_tb(error.__traceback__)[1:][-3:]
    where = "; ".join(f"{frame.name}, line {frame.lineno}: {frame.line}" for frame in frames)
    return f"{said(error)} ({where})" if where else said(error)
