"""Reading a value of a given form out of what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from optimand.core.jsontext import embedded_json, whole_json
from optimand.llm.schema import complaint

__all__ = ["parse_structured"]

_LONGEST = 200_000
# No two repeats here may share characters side by side: that would take quadratic time.
_STATED = r"(?:answer|choice|verdict|decision)(?:\W*\bis\b)?\W*"


def parse_structured(
    text: str,
    schema: Mapping[str, Any] | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """The value that `text` holds: JSON that fits `schema`, or one of `choices`.

    JSON may be fenced or stand in prose; the first value that fits counts. A choice may be quoted,
    emphasized, followed by an explanation ("B. Because ..."), or stated ("Answer: B"); one that is
    only mentioned does not count. Raises ValueError that says what is wrong.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters")
    if choices is not None:
        return _choice(text, choices)
    if schema is None:
        return text
    problem = ""
    for found in _json_values(text):
        wrong = complaint(found, schema)
        if not wrong:
            return found
        problem = problem or wrong
    raise ValueError(problem or "it holds no JSON value")


def _json_values(text: str) -> Iterator[Any]:
    for whole in (text, *_fenced(text)):
        with suppress(ValueError):
            yield whole_json(whole)
    yield from embedded_json(text)


def _fenced(text: str) -> Iterator[str]:
    """What stands within fences of three backticks, that have at most a word beside them."""
    pieces = text.split("```")
    index = 1
    while index < len(pieces) - 1:
        word, newline, inner = pieces[index].partition("\n")
        fence = bool(newline) and (not word.strip() or word.strip().isalpha())
        if fence:
            yield inner
        index += 2 if fence else 1


def _choice(text: str, choices: Sequence[str]) -> str:
    for find in (_exact, _in_json, _stated):
        found = find(text.strip(), choices)
        if len(found) == 1:
            return found[0]
    raise ValueError(f"it is none of {', '.join(choices)}")


def _exact(text: str, choices: Sequence[str]) -> list[str]:
    bare = text.strip("\"'`*_. \n")
    same = [c for c in choices if c.strip() in (text, bare)]
    folded = (text.casefold(), bare.casefold())
    return same or [c for c in choices if c.strip().casefold() in folded]


def _in_json(text: str, choices: Sequence[str]) -> list[str]:
    for value in _json_values(text):
        inner = list(value.values()) if isinstance(value, Mapping) else [value]
        if len(inner) == 1 and inner[0] in choices:
            return [str(inner[0])]
    return []


def _stated(text: str, choices: Sequence[str]) -> list[str]:
    longest_first = "|".join(re.escape(c) for c in sorted(choices, key=len, reverse=True))
    for pattern in (
        rf"^[\"'`*_(]*({longest_first})(?:[\"'`*_)]*[.:,;)\n]|[\"'`*_)]+\s)",
        rf"\b{_STATED}({longest_first})(?!\w)",
    ):
        stated = {s.casefold() for s in re.findall(pattern, text, re.IGNORECASE)}
        found = [c for c in choices if c.casefold() in stated]
        if len(found) == 1:
            return found
    return []
