"""What stored values must look like: rules for single fields, and what a mapping breaks of them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Mapping
from numbers import Real
from typing import Any, get_args

from optimand.core.record import Status

__all__ = [
    "AMOUNT",
    "COUNT",
    "FLAG",
    "LIST",
    "MAPPING",
    "NUMBER",
    "SHARE",
    "STATUS",
    "TEXT",
    "TEXTS",
    "Rule",
    "breach",
    "misfit",
    "or_none",
]

Rule = tuple[Callable[[Any], bool], str]
"""Whether a value will do, and in words what it has to be."""

STATUSES = frozenset(get_args(Status))
# Far beyond what anything costs or counts, and within what a float holds exactly.
MOST = 2**53


def _number(value: Any) -> bool:
    return type(value) in (float, int) or isinstance(value, Real)


def _amount(value: Any) -> bool:
    return _number(value) and 0 <= value <= MOST


def _count(value: Any) -> bool:
    return _amount(value) and value == int(value)


def _share(value: Any) -> bool:
    return value is None or (_number(value) and 0 <= value <= 1)


def _texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


TEXT: Rule = (lambda v: isinstance(v, str), "a text")
TEXTS: Rule = (_texts, "a list of texts")
FLAG: Rule = (lambda v: isinstance(v, bool), "true or false")
LIST: Rule = (lambda v: isinstance(v, list | tuple), "a list")
MAPPING: Rule = (lambda v: isinstance(v, Mapping), "a mapping")
NUMBER: Rule = (_number, "a number")
AMOUNT: Rule = (_amount, "a finite number from 0 up")
COUNT: Rule = (_count, "a whole number from 0 up")
SHARE: Rule = (_share, "a number from 0 to 1, or nothing")
STATUS: Rule = (
    lambda v: isinstance(v, str) and v in STATUSES,
    f"one of {', '.join(sorted(STATUSES))}",
)


def or_none(rule: Rule) -> Rule:
    """The rule for a field that may be left empty."""
    holds, words = rule
    return (lambda v: v is None or holds(v)), f"{words}, or nothing"


def breach(name: str, value: Any, rule: Rule) -> str:
    """How the value of the field `name` breaks its rule, in words; "" where it does not."""
    holds, words = rule
    return "" if holds(value) else f"{name!r} is {reprlib.repr(value)}, it must be {words}"


def misfit(body: Any, shape: Mapping[str, Rule], required: Collection[str] = ()) -> str:
    """The first thing wrong with `body`, in words; "" where it fits.

    Fields that `shape` does not name may be anything.
    """
    if not isinstance(body, Mapping):
        return f"it is {reprlib.repr(body)}, not a mapping"
    for name in required:
        if name not in body:
            return f"it has no {name!r}"
    for name, value in body.items():
        rule = shape.get(name)
        if rule is not None and not rule[0](value):
            return breach(name, value, rule)
    return ""
