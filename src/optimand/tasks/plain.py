"""Whether a value read from a file can be stored, sent and compared: plain JSON and no more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["plain_complaint"]

_DEPTH = 50


def plain_complaint(value: Any, depth: int = _DEPTH) -> str:
    """Why a value is not plain JSON, or the empty text: NaN, dates, keys that are not text, ..."""
    if depth == 0:
        return f"it is nested more than {_DEPTH} levels deep"
    if isinstance(value, Mapping):
        return _first(
            plain_complaint(part, depth - 1)
            if isinstance(key, str) and not plain_complaint(key)
            else f"the key {key!r} is not text"
            for key, part in value.items()
        )
    if isinstance(value, list | tuple):
        return _first(plain_complaint(part, depth - 1) for part in value)
    return _scalar(value)


def _first(complaints: Any) -> str:
    return next((complaint for complaint in complaints if complaint), "")


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool | int):
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a number that JSON knows"
    if not isinstance(value, str):
        return f"a {type(value).__name__} is not text, number, true, false, null, list or mapping"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "a text holds half of a surrogate pair, which is not a character"
    return ""
