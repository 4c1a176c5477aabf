"""Records to and from the plain mappings that the log keeps: only what differs from the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from optimand.core.errors import InputError, StorageError
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record, Usage
from optimand.core.shapes import (
    AMOUNT,
    COUNT,
    MAPPING,
    SHARE,
    STATUS,
    TEXT,
    Rule,
    breach,
    misfit,
)

__all__ = ["SHAPE", "USAGE", "pack", "parse", "unpack"]

T = TypeVar("T", Record, Comparison, Judgement, Reply)

USAGE: dict[str, Rule] = {
    "calls": COUNT,
    "input_tokens": COUNT,
    "output_tokens": COUNT,
    "usd": AMOUNT,
    "unpriced": COUNT,
    "steps": COUNT,
}
_BEFORE_STEPS = len(USAGE) - 1
"""What older versions wrote, which counted no steps."""


def _list_of_costs(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) in (_BEFORE_STEPS, len(USAGE))
        and all(rule[0](item) for rule, item in zip(USAGE.values(), value, strict=False))
    )


# Fields of the same name mean the same in all four; those that are missing here hold anything.
SHAPE: dict[str, Rule] = {
    **dict.fromkeys(("candidate", "example", "a", "b", "text", "feedback"), TEXT),
    **dict.fromkeys(("error", "finish"), TEXT),
    **dict.fromkeys(("score", "value", "outcome"), SHARE),
    **dict.fromkeys(("objectives", "details"), MAPPING),
    "repeat": COUNT,
    "seconds": AMOUNT,
    "status": STATUS,
    "usage": (
        _list_of_costs,
        "six finite numbers from 0 up: calls, tokens in, out, usd, unpriced, steps",
    ),
}

_DEFAULTS: dict[type, dict[str, Any]] = {}


def _defaults(kind: type) -> dict[str, Any]:
    known = _DEFAULTS.get(kind)
    if known is None:
        known = _DEFAULTS[kind] = {
            f.name: f.default if f.default_factory is MISSING else f.default_factory()
            for f in fields(kind)
        }
    return known


def pack(value: Record | Comparison | Judgement | Reply) -> dict[str, Any]:
    """A mapping of the fields of `value` that are not at their default.

    Raises InputError for a value that could not be read back, such as a score of 5.
    """
    body: dict[str, Any] = {}
    for name, default in _defaults(type(value)).items():
        item = getattr(value, name)
        if item is default:
            continue
        if name == "usage":
            item = _costs(item)
        rule = SHAPE.get(name)
        if rule is None:
            body[name] = item
        elif not rule[0](item):
            kind = type(value).__name__
            raise InputError(f"a {kind} cannot be stored: {breach(name, item, rule)}.")
        elif item != default:
            body[name] = item
    return body


def _costs(usage: Usage) -> list[float] | None:
    if not isinstance(usage, Usage):
        return None
    return [getattr(usage, name) for name in USAGE]


def parse(kind: type[T], body: Any) -> T:
    """The inverse of `pack`; fields that this version does not know are left out.

    Raises ValueError, which says what is wrong, for anything that `pack` does not write.
    """
    defaults = _defaults(kind)
    known = {k: v for k, v in body.items() if k in defaults} if isinstance(body, Mapping) else body
    required = [name for name, default in defaults.items() if default is MISSING]
    if wrong := misfit(known, SHAPE, required):
        raise ValueError(wrong)
    if "usage" in known:
        calls, inputs, outputs, usd, *counts = known["usage"]
        known["usage"] = Usage(int(calls), int(inputs), int(outputs), float(usd), *map(int, counts))
    return kind(**known)


def unpack(kind: type[T], body: Mapping[str, Any]) -> T:
    """`parse` for what comes from a store; raises StorageError where that is damaged."""
    try:
        return parse(kind, body)
    except ValueError as error:
        raise StorageError(
            f"a stored {kind.__name__} cannot be used ({error}): the store is damaged. Restore a "
            "copy, or begin the study in another store."
        ) from error
