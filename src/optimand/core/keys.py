"""Content keys: one canonical text per value, one short hash per text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from optimand.core.errors import InputError

__all__ = ["canonical", "content_hash", "judge_key", "score_key", "seed_from"]

_DEPTH = 20
"""How deep a fault is looked for."""

_WAY_OUT = "use text, numbers, booleans, None, lists and mappings of these"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return _ordered(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item) and not getattr(value, "shape", ()):
        return item()
    way = "write its .tolist()" if hasattr(value, "tolist") else _WAY_OUT
    raise InputError(f"a value of type {type(value).__name__} cannot be stored: {way}")


def _ordered(values: Collection[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=canonical)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_plain)


def canonical(value: Any) -> str:
    """The JSON text of `value` with sorted keys and ASCII only, the same in every process.

    Raises InputError, naming the place, for a value that JSON cannot hold.
    """
    try:
        return _ENCODER.encode(value)
    except Exception as error:  # the value's own code may raise anything
        raise InputError(_complaint(value, error)) from None


def _complaint(value: Any, error: Exception) -> str:
    """What is wrong, and at which key or index: the innermost part that fails by itself."""
    place = ""
    for _ in range(_DEPTH):
        for key, part in _parts(value):
            try:
                json.dumps(part, sort_keys=True, default=_plain)
            except Exception as inner:
                place, value, error = f"{place}[{key!r}]", part, inner
                break
        else:
            break
    at = f"at {place}: " if place else ""
    if isinstance(error, InputError):
        return f"{at}{error}"
    if isinstance(error, RecursionError) or "Circular" in str(error):
        return f"a {type(value).__name__} nested too deep, or holding itself, cannot be stored"
    if isinstance(value, Mapping):
        return f"{at}a mapping whose keys are not all text cannot be stored"
    return f"{at}a value of type {type(value).__name__} cannot be stored: {_WAY_OUT}"


def _parts(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        keys = [key for key in value if isinstance(key, str | int)]
        return [(key, value[key]) for key in keys]
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def content_hash(*values: Any) -> str:
    """32 hexadecimal digits (BLAKE2b, 128 bits) over the canonical text of `values`."""
    text = canonical(values)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def seed_from(*values: Any) -> int:
    """A seed in [0, 2**31) that depends on `values` alone, not on order or timing."""
    return int(content_hash(*values)[:8], 16) & 0x7FFF_FFFF


def judge_key(fingerprint: str | None) -> str:
    """How the keys of judgements name a judge; "" for none."""
    return content_hash(fingerprint) if fingerprint else ""


def score_key(execution: str, judge: str) -> str:
    """The key under which the log has the score that `judge` (a judge_key) gave an execution."""
    return content_hash("score", execution, judge)
