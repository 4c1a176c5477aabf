"""What a candidate can be given: plain values and arrays, never an object of the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = ["plain"]

_SCALARS = (str, bytes, bool, int, float, complex, type(None))


def plain(value: Any) -> Any:
    """The value with numbers and arrays of numpy as they are, tuples and mappings as plain ones.

    Raises InputError for any other kind: it would have to be loaded by the candidate's process,
    which has none of the caller's modules.
    """
    if type(value) in _SCALARS:
        return value
    if type(value).__module__ == "numpy" and getattr(value, "dtype", None) is not None:
        if not value.dtype.hasobject:
            return value
    elif isinstance(value, Mapping):
        return {plain(k): plain(v) for k, v in value.items()}
    elif isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    elif isinstance(value, list | set | frozenset):
        return [plain(v) for v in value]
    for kind in (str, int, float):  # enumerations, and numbers and texts of other classes
        if isinstance(value, kind):
            return kind(value)
    raise InputError(
        f"{shown(value)} of type {type(value).__name__} cannot be given to a program in the "
        "sandbox: give numbers, texts, arrays, lists, tuples and mappings"
    )
