"""Content keys: one canonical text per value, one short hash per text."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from optimand.core.errors import InputError

__all__ = ["canonical", "content_hash", "describe_function", "judge_key", "score_key", "seed_from"]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item):
        return item()
    raise InputError(
        f"a value of type {type(value).__name__} cannot be stored: "
        "use text, numbers, booleans, None, lists and mappings of these"
    )


def canonical(value: Any) -> str:
    """The JSON text of `value` with sorted keys and ASCII only, the same in every process.

    Raises InputError for a value that JSON cannot hold.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)


def content_hash(*values: Any) -> str:
    """32 hexadecimal digits (BLAKE2b, 128 bits) over the canonical text of `values`."""
    text = canonical(values)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def seed_from(*values: Any) -> int:
    """A seed in [0, 2**31) that depends on `values` alone, not on order or timing."""
    return int(content_hash(*values)[:8], 16) & 0x7FFF_FFFF


def describe_function(function: Any) -> str:
    """A text that changes when the function's source does, for use in cache keys."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = ""
    return f"{getattr(function, '__module__', '')}.{name}:{content_hash(source)[:12]}"


def judge_key(fingerprint: str | None) -> str:
    """How the keys of judgements name a judge; "" for none."""
    return content_hash(fingerprint) if fingerprint else ""


def score_key(execution: str, judge: str) -> str:
    """The key under which the log has the score that `judge` (a judge_key) gave an execution."""
    return content_hash("score", execution, judge)
