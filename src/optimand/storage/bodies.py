"""What the log's events and a study's settings must hold, checked where they are read.

A store is a file that anything may have touched: what comes out of here is safe to use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from optimand.core.codec import parse
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record
from optimand.core.shapes import (
    AMOUNT,
    COUNT,
    FLAG,
    LIST,
    MAPPING,
    NUMBER,
    TEXT,
    TEXTS,
    Rule,
    misfit,
    or_none,
)

__all__ = ["check_body", "check_settings"]


def _mapping_of(rule: Rule) -> Rule:
    def holds(value: Any) -> bool:
        return isinstance(value, Mapping) and all(rule[0](item) for item in value.values())

    return holds, f"a mapping, and each value in it {rule[1]}"


def _list_of(holds: Callable[[Any], bool], words: str) -> Rule:
    return (
        lambda v: isinstance(v, list | tuple) and all(holds(item) for item in v)
    ), f"a list of {words}"


_STANDING: dict[str, Rule] = {
    "candidate": TEXT,
    "rank": COUNT,
    "estimate": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "runs": AMOUNT,
    "evidence": or_none(NUMBER),
    "alive": FLAG,
    "beaten_by": or_none(TEXT),
}
_NEEDED = tuple(name for name in _STANDING if name != "beaten_by")


def _standing(value: Any) -> bool:
    return not misfit(value, _STANDING, _NEEDED) and value.keys() <= _STANDING.keys()


_GAINS: dict[str, Rule] = {
    **dict.fromkeys(("estimate", "low", "high"), NUMBER),
    "proven": FLAG,
}
_GAIN: Rule = (lambda v: not misfit(v, _GAINS, tuple(_GAINS)), "a gain as this version knows it")


_ORIGIN: dict[str, Rule] = {"study": TEXT, "used": AMOUNT, "unit": TEXT, "evidence": FLAG}
_CARRIED: Rule = (lambda v: not misfit(v, _ORIGIN, tuple(_ORIGIN)), "a warm start as it is told")


def _counts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(COUNT[0](n) for n in value.values())


_FAILED: dict[str, Rule] = {
    **dict.fromkeys(("runs", "comparisons", "unjudged"), COUNT),
    "status": (_counts, "a mapping of counts"),
    "error": TEXT,
}
_FAILURES: Rule = (
    lambda v: not v or not misfit(v, _FAILED, ("runs", "status")),
    "failures as this version counts them",
)


def _history(value: Any) -> bool:
    """Times and, for each candidate, evidence; an entry that is nothing stands for certainty."""
    some, all_ = _list_of(or_none(NUMBER)[0], "")[0], _list_of(NUMBER[0], "")[0]
    return (
        isinstance(value, Mapping) and all(map(some, value.values())) and all_(value.get("at", ()))
    )


_VERDICT: dict[str, Rule] = {
    "decided": FLAG,
    "best": or_none(TEXT),
    **dict.fromkeys(("reason", "detail", "unit", "measure"), TEXT),
    "confidence": NUMBER,
    "standings": _list_of(_standing, "standings as this version knows them"),
    "unresolved": TEXTS,
    "used": AMOUNT,
    **dict.fromkeys(("least", "equal", "remaining"), or_none(NUMBER)),
    "history": (_history, "a mapping to lists of numbers, of which evidence may hold nothing"),
    "wins": MAPPING,
    "baseline": or_none(TEXT),
    "gain": or_none(_GAIN),
    "carried": or_none(_CARRIED),
    "failures": _FAILURES,
}

_SESSION: dict[str, Rule] = {
    "order": TEXTS,
    "names": _mapping_of(TEXT),
    "line": or_none(NUMBER),
    **dict.fromkeys(("models", "prices", "examples", "budget", "rule"), MAPPING),
}


def _row(value: Any) -> bool:
    """An example's id, input, target and tags."""
    return LIST[0](value) and len(value) == 4 and TEXT[0](value[0]) and LIST[0](value[3])


_CALLS: dict[str, Callable[[Any], object]] = {
    "rollout": lambda body: parse(Record, body),
    "comparison": lambda body: parse(Comparison, body),
    "score": lambda body: parse(Judgement, body),
    "ask": lambda body: parse(Reply, body),
}
_MARKS: dict[str, tuple[dict[str, Rule], tuple[str, ...]]] = {
    "outcome": ({"action": COUNT}, ("action",)),
    "session": (_SESSION, ()),
    "examples": ({"rows": _list_of(_row, "examples")}, ("rows",)),
    "snapshot": (_VERDICT, ("decided", "best", "reason")),
    "verdict": (_VERDICT, ("decided", "best", "reason")),
}

_CANDIDATE: dict[str, Rule] = {"name": TEXT, "parts": MAPPING}
_SETTINGS: dict[str, Rule] = {
    **dict.fromkeys(("task", "strategy", "population"), TEXT),
    "judge": or_none(TEXT),
    "seed": (lambda v: isinstance(v, int), "a whole number"),
    "confidence": (lambda v: NUMBER[0](v) and 0 < v < 1, "a number between 0 and 1"),
    "candidates": _mapping_of((lambda v: not misfit(v, _CANDIDATE), "a candidate")),
}


def check_body(kind: str, body: Any) -> None:
    """Raise ValueError, which says what is wrong, unless an event of this kind can hold `body`.

    Of a kind that optimand does not write, any mapping will do.
    """
    call = _CALLS.get(kind)
    if call is not None:
        call(body)
    else:
        shape, required = _MARKS.get(kind, ({}, ()))
        if wrong := misfit(body, shape, required):
            raise ValueError(wrong)


def check_settings(settings: Any) -> None:
    """Raise ValueError, which says what is wrong, unless these can be a study's settings."""
    if wrong := misfit(settings, _SETTINGS):
        raise ValueError(wrong)
