"""What a program's call comes to, as JSON: its value, or what went wrong."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from typing import Any

from .program import told

__all__ = ["answered"]

_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EROFS)


def answered(call: Callable[[], Any], most: int) -> bytes:
    """{"value": ...} of at most `most` bytes, or {"status": ..., "error": ...}; never raises."""
    try:
        body = json.dumps({"value": call()}, default=_plain).encode()
        if len(body) > most:
            raise ValueError(f"the answer has {len(body)} bytes, more than {most}")
    except BaseException as error:
        return json.dumps({"status": _status(error), "error": _said(error)}).encode()
    return body


def _said(error: BaseException) -> str:
    try:
        return told(error)
    except BaseException:
        return "an error that cannot say itself"


def _status(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    forbidden = isinstance(error, OSError) and error.errno in _FORBIDDEN
    return "violation" if forbidden else "crash"


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as plain ones."""
    for name in ("tolist", "item"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise TypeError(
        f"an answer of type {type(value).__name__} cannot be given: use plain numbers, texts, "
        "lists or mappings"
    )
