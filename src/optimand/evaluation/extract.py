"""Finding numbers and JSON in what a model wrote."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from optimand.core.jsontext import embedded_json, whole_json

__all__ = ["as_text", "find_json", "find_numbers"]

_NUMBER = re.compile(
    r"(?:(?<![\w.)])[-+−])?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<!\d)\.\d+)"
    r"(?:[eE][-+]?\d+)?",
    re.ASCII,
)


def as_text(value: Any) -> str:
    """A text as it is; None as the empty text; any other value as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def find_numbers(text: str) -> list[float]:
    """The finite numbers in a text, in order: `1,234.5`, `-3`, `.5` and `2e-3` are read."""
    found = []
    for match in _NUMBER.finditer(text):
        value = float(match.group().replace(",", "").replace("−", "-"))
        if math.isfinite(value):
            found.append(value)
    return found


def find_json(text: str) -> Any:
    """The JSON value that a text is, or else the first object or list within it.

    Raises ValueError if there is none. Prose and code fences around the value are skipped.
    """
    try:
        return whole_json(text)
    except ValueError:
        for value in embedded_json(text):
            return value
    raise ValueError("there is no JSON")
