"""Records to and from the plain mappings that the log keeps: only what differs from the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record, Usage

__all__ = ["pack", "unpack"]

T = TypeVar("T", Record, Comparison, Judgement, Reply)

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
    """A mapping of the fields of `value` that are not at their default."""
    body: dict[str, Any] = {}
    for name, default in _defaults(type(value)).items():
        item = getattr(value, name)
        if item != default:
            body[name] = _usage(item) if name == "usage" else item
    return body


def _usage(usage: Usage) -> list[float]:
    return [usage.calls, usage.input_tokens, usage.output_tokens, usage.usd, usage.unpriced]


def unpack(kind: type[T], body: Mapping[str, Any]) -> T:
    """The inverse of `pack`; fields that this version does not know are left out."""
    known = {k: v for k, v in body.items() if k in _defaults(kind)}
    if "usage" in known:
        calls, inputs, outputs, usd, unpriced = known["usage"]
        known["usage"] = Usage(int(calls), int(inputs), int(outputs), float(usd), int(unpriced))
    return kind(**known)
