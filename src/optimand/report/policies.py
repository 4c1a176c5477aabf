"""What is in each candidate, and in what it differs from the leader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optimand.core.keys import canonical
from optimand.report.text import shown

__all__ = ["Part", "parts_of"]

LIMIT = 20_000
_LABELS = {
    "model": "model",
    "system": "system prompt",
    "prompt": "prompt",
    "turns": "example turns",
    "settings": "settings",
    "parser": "parser",
    "value": "value",
}


@dataclass(frozen=True)
class Part:
    """One part: its visible, clipped text, `more` characters left out; `long` asks for a block."""

    label: str
    text: str
    more: int
    long: bool
    differs: bool


def parts_of(parts: Mapping[str, Any], leader: Mapping[str, Any] | None) -> list[Part]:
    """The parts that say something, in reading order; `leader` None marks no differences."""
    known = [name for name in _LABELS if name in parts]
    rest = sorted(name for name in parts if name not in _LABELS)
    found = []
    for name in (*known, *rest):
        text, more = shown(_written(name, parts[name]), LIMIT)
        differs = leader is not None and not _same(parts[name], leader.get(name))
        if text.strip() or differs:
            long = len(text) > 60 or "\n" in text or name in ("prompt", "system")
            found.append(Part(_LABELS.get(name, name), text or "none", more, long, differs))
    return found


def _same(one: Any, other: Any) -> bool:
    return canonical([one]) == canonical([other])


def _written(name: str, value: Any) -> Any:
    if name == "turns" and isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in value)
    if name == "parser" and isinstance(value, Mapping) and list(value) == ["type"]:
        return value["type"]
    if name in ("settings", "parser") and isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(option)}" for key, option in sorted(value.items()))
    return value


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else canonical(value)
