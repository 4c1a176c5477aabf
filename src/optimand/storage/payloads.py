"""Event bodies as text: long strings move to content-addressed payloads."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from optimand.core.keys import canonical, content_hash

__all__ = ["decode", "encode"]

LONG = 1024
_MARK = "$payload"


def encode(body: Mapping[str, Any], payloads: dict[str, bytes]) -> str:
    """The body as JSON; strings longer than LONG are put into `payloads` by hash, compressed."""
    if any(_is_long(value) for value in body.values()):
        body = {name: _moved(value, payloads) for name, value in body.items()}
    return canonical(body)


def _is_long(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > LONG
    return isinstance(value, Mapping | list | tuple)


def _moved(value: Any, payloads: dict[str, bytes]) -> Any:
    text = value if isinstance(value, str) else canonical(value)
    looks_moved = isinstance(value, Mapping) and set(value) == {_MARK}
    if len(text) <= LONG and not looks_moved:
        return value
    name = content_hash(text)
    payloads.setdefault(name, zlib.compress(canonical(value).encode(), 1))
    return {_MARK: name}


def decode(text: str, load: Callable[[str], bytes]) -> dict[str, Any]:
    """The inverse of `encode`; `load` gives a payload by its hash. ValueError for anything else."""
    body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("it is not a mapping")
    if _MARK not in text:
        return body
    return {name: _fetched(value, load) for name, value in body.items()}


def _fetched(value: Any, load: Callable[[str], bytes]) -> Any:
    if isinstance(value, dict) and set(value) == {_MARK} and isinstance(value[_MARK], str):
        return json.loads(zlib.decompress(load(value[_MARK])))
    return value
