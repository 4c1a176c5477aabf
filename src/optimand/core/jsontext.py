"""JSON within what a model wrote, found with a bounded amount of work."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["embedded_json", "whole_json"]

TRIES = 200
"""Places at which a value may begin."""
WORK = 2_000_000
"""Characters that may be read in vain."""

_START = re.compile(r"[{\[]")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def whole_json(text: str) -> Any:
    """The JSON value that a text is, but for spaces around it. Raises ValueError if it is none."""
    try:
        return _DECODER.decode(text.strip())
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def embedded_json(text: str) -> Iterator[Any]:
    """The objects and lists within a text, from left to right; none lies within another."""
    place = work = 0
    for _ in range(TRIES):
        start = _START.search(text, place)
        if start is None or work > WORK:
            return
        place = start.start()
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            work += getattr(error, "pos", len(text)) - place
            place += 1
        else:
            yield value
