"""What the user gives to a constructor, checked there, so that the message says where."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Collection, Mapping
from typing import Any

from optimand.core.errors import InputError
from optimand.core.usercode import CRASHES, shown

__all__ = [
    "decoding_faults",
    "is_finite",
    "need_client",
    "need_clients",
    "need_function",
    "need_judge",
    "need_level",
    "need_number",
    "need_one_of",
    "need_scale",
    "need_text",
    "need_whole",
    "plain_number",
]

MOST_TOKENS = 2**31 - 1
_JUDGES = "optimand.evaluation.judges"


def need_text(value: Any, what: str) -> None:
    """Raises InputError unless the value is a text."""
    if not isinstance(value, str):
        raise InputError(f"{what} is {shown(value)}. It must be a text.")


def need_function(value: Any, what: str, arguments: Collection[str] = ()) -> None:
    """Raises InputError unless the value can be called, with these arguments in this order.

    Without any named, or where a function does not say what it takes, the arguments are not looked
    at.
    """
    if not callable(value):
        raise InputError(f"{what} is {shown(value)}. It must be a function.")
    try:
        signature = inspect.signature(value)
    except CRASHES:  # of a function that is not in Python, or says something false of itself
        return
    try:
        if arguments:
            signature.bind(*arguments)
    except TypeError:
        count = f"{len(arguments)} argument{'s' if len(arguments) > 1 else ''}"
        raise InputError(
            f"{what} takes {signature}. It is called with {count}: {', '.join(arguments)}."
        ) from None


def need_one_of(value: Any, known: Collection[str], what: str) -> None:
    """Raises InputError unless the value is one of the texts."""
    if not isinstance(value, str) or value not in known:
        have = " or ".join(map(repr, known))
        raise InputError(f"{what} is {shown(value)}. Use {have}.")


def need_whole(value: Any, what: str, least: int = 1) -> None:
    """Raises InputError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{what} is {shown(value)}. It must be a whole number, {least} or more.")


def need_number(value: Any, what: str, least: float = 0.0, *, above: bool = False) -> None:
    """Raises InputError unless the value is a finite number of at least, or above, `least`."""
    if not is_finite(value) or value < least or (above and value == least):
        words = f"above {least:g}" if above else f"{least:g} or more"
        raise InputError(f"{what} is {shown(value)}. It must be a finite number, {words}.")


def need_level(value: Any, what: str) -> None:
    """Raises InputError unless the value is a number strictly between 0 and 1."""
    if not (is_finite(value) and 0 < value < 1):
        raise InputError(f"{what} is {shown(value)}. It must lie strictly between 0 and 1.")


def need_scale(value: Any, what: str, *, whole: bool) -> tuple[Any, Any]:
    """The two ends of a scale. Raises InputError unless they are finite and the lower is first."""
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    fits = len(pair) == 2 and all(type(end) is int if whole else is_finite(end) for end in pair)
    if not fits or not pair[0] < pair[1]:
        kind = "whole" if whole else "finite"
        raise InputError(
            f"{what} is {shown(list(pair) or value)}. It must be two {kind} numbers, "
            "the lower first, such as [1, 5]."
        )
    return pair[0], pair[1]


def is_finite(value: Any) -> bool:
    """Whether the value is a number, of a size that a float can have."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def plain_number(value: Any) -> Any:
    """What numpy holds in a scalar of its own, as Python does; anything else as it is."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, numpy.generic) else value


def decoding_faults(
    temperature: Any = None, top_p: Any = None, max_tokens: Any = None, stop: Any = ()
) -> list[str]:
    """What is out of range among the settings of a call; None is the service's default."""
    found = []
    if temperature is not None and not (is_finite(temperature) and 0 <= temperature <= 2):
        found.append(f"temperature is {shown(temperature)}. It must be a number from 0 to 2.")
    if top_p is not None and not (is_finite(top_p) and 0 < top_p <= 1):
        found.append(f"top_p is {shown(top_p)}. It must be a number above 0 and at most 1.")
    whole = isinstance(max_tokens, int) and not isinstance(max_tokens, bool)
    if max_tokens is not None and not (whole and 1 <= max_tokens <= MOST_TOKENS):
        found.append(
            f"max_tokens is {shown(max_tokens)}. "
            f"It must be a whole number from 1 to {MOST_TOKENS:,}."
        )
    if not all(isinstance(text, str) and text for text in stop):
        found.append("stop holds something that is not a non-empty text.")
    return found


def need_client(value: Any, what: str) -> None:
    """Raises InputError, with the way to make one, unless the value is a client."""
    if isinstance(value, type):
        raise InputError(f"{what} is the class {value.__name__}. Make one of it: call the class.")
    if callable(getattr(value, "complete", None)) and isinstance(getattr(value, "name", None), str):
        return
    if isinstance(value, str):  # not shown: it may hold a key
        way = "is a text. Make a client of it: optimand.llm.connect(...)."
    elif callable(value):
        way = "is a function. Make a client of it: optimand.llm.Scripted(...)."
    else:
        way = (
            f"is {shown(value)}. It must be a client, such as optimand.llm.connect('openai:MODEL') "
            "or optimand.llm.Scripted(function)."
        )
    raise InputError(f"{what} {way}")


def need_clients(value: Any) -> None:
    """Raises InputError unless the value maps the names of models to clients."""
    if not isinstance(value, Mapping):
        kind = "a text" if isinstance(value, str) else shown(value)
        raise InputError(
            f"clients are {kind}. They must be a mapping from the model names that policies use "
            "to clients, such as {'small': optimand.llm.connect('openai:MODEL')}."
        )
    for name, client in value.items():
        need_text(name, "the name of a client")
        need_client(client, f"client {name!r}")


def need_judge(value: Any, what: str) -> None:
    """Raises InputError, with the way to make one, unless the value is a judge."""
    if isinstance(value, type):
        raise InputError(f"{what} is the class {value.__name__}. Make one of it: call the class.")
    method = {"score": "score", "pair": "compare"}.get(str(getattr(value, "kind", "")), "")
    if callable(getattr(value, method, None)) and callable(getattr(value, "fingerprint", None)):
        return
    if callable(value):
        way = f"is a function. Make a judge of it: {_JUDGES}.Function(...)."
    else:
        way = f"is {shown(value)}. It must be a judge, such as {_JUDGES}.Exact()."
    raise InputError(f"{what} {way}")
