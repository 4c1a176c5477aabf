"""Whether a judge's options are of the types that its class declares."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from optimand.core.errors import InputError
from optimand.core.given import decoding_faults, need_client, need_function, need_judge
from optimand.core.model import Client
from optimand.core.task import ScoreJudge
from optimand.core.usercode import shown
from optimand.evaluation.judges.desk import Desk

__all__ = ["check_decoding", "check_options", "fits"]

_WORDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


def fits(value: Any, hint: Any) -> bool:
    """Whether a plain value is of an annotated type, as far as options go."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, argument) for argument in arguments)
    if origin is tuple:
        plain = isinstance(value, list | tuple) and len(value) == len(arguments)
        return plain and all(map(fits, value, arguments))
    if arguments:  # Literal
        return isinstance(value, str) and value in arguments
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def check_options(judge: Any) -> None:
    """Raises InputError, naming judge, option and way out, for what is not of its type.

    Choices and scales are left to the judge, which says what it takes.
    """
    hints = get_type_hints(type(judge))
    if not isinstance(judge.name, str):
        raise InputError(f"a judge's name is {shown(judge.name)}. It must be a text.")
    for f in fields(judge):
        if f.init:
            _check(getattr(judge, f.name), hints[f.name], f"judge {judge.name!r}: {f.name}")


def _check(value: Any, hint: Any, what: str) -> None:
    if hint is Client:
        need_client(value, what)
    elif hint is ScoreJudge:
        need_judge(value, what)
        if value.kind != "score":
            raise InputError(f"{what} is {shown(value)}. It must be a judge that gives scores.")
    elif hint is Desk:
        _need_desk(value, what)
    elif get_origin(hint) is Callable:
        need_function(value, what)
    else:
        either = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
        kinds = [kind for kind in either if kind in _WORDS]
        if kinds and not fits(value, hint):
            none = " or None" if type(None) in either else ""
            raise InputError(f"{what} is {shown(value)}. It must be {_WORDS[kinds[0]]}{none}.")


def _need_desk(value: Any, what: str) -> None:
    if isinstance(value, type) or not isinstance(value, Desk):
        raise InputError(
            f"{what} is {shown(value)}. It must be a desk, such as "
            "optimand.evaluation.judges.MemoryDesk()."
        )


def check_decoding(judge: Any) -> None:
    """Raises InputError for a temperature or max_tokens that no model takes."""
    for fault in decoding_faults(judge.temperature, max_tokens=judge.max_tokens):
        raise InputError(f"judge {judge.name!r}: {fault}")
