"""Prompt templates: plain substitution of `{field}`, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from optimand.core.errors import InputError

__all__ = ["as_text", "fill", "input_fields", "template_fields"]

_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[^\W\d][\w -]*")
_WAY_OUT = "Only plain names such as {question} are filled; write {{ and }} for literal braces."


def _tokens(template: str) -> Iterator[tuple[str, bool]]:
    """Pieces of the template: (text, False) to copy, (name, True) to fill."""
    end = 0
    for match in _TOKEN.finditer(template):
        yield template[end : match.start()], False
        end = match.end()
        token, name = match.group(), match.group(1)
        if token in ("{{", "}}"):
            yield token[0], False
        elif name is not None and _NAME.fullmatch(name):
            yield name, True
        else:
            line = template.count("\n", 0, match.start()) + 1
            shown = token if len(token) <= 40 else token[:37] + "..."
            raise InputError(f"template line {line}: {shown!r} is not a field. {_WAY_OUT}")
    yield template[end:], False


def template_fields(template: str) -> tuple[str, ...]:
    """The names of the fields a template uses, in order of first use.

    Raises InputError for a brace that is neither doubled nor part of `{name}`.
    """
    return tuple(dict.fromkeys(text for text, is_field in _tokens(template) if is_field))


def input_fields(value: Any) -> frozenset[str]:
    """The fields an example's input offers: its keys, or `input` for a plain value."""
    return (
        frozenset(str(key) for key in value) if isinstance(value, Mapping) else frozenset(["input"])
    )


def as_text(value: Any) -> str:
    """A text as it is; any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fill(template: str, value: Any) -> str:
    """The template with each `{field}` replaced by that field of an example's input.

    Values are inserted once and never read as templates. Raises InputError for a missing field.
    """
    fields = value if isinstance(value, Mapping) else {"input": value}
    filled = []
    for text, is_field in _tokens(template):
        if is_field and text not in fields:
            have = ", ".join(sorted(repr(str(key)) for key in fields)) or "no fields"
            raise InputError(f"the template uses {{{text}}}, but the input has {have}.")
        filled.append(as_text(fields[text]) if is_field else text)
    return "".join(filled)
