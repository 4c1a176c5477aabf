"""What an edited study differs in from the one that was run before: it begins anew, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from optimand.core.store import StudyInfo

__all__ = ["edited_note"]

_WORDS = {
    "confidence": "confidence",
    "seed": "seed",
    "strategy": "strategy",
    "options": "the strategy's options or baseline",
    "population": "population",
    "examples": "examples",
    "judge": "judge",
    "execution": "models",
}


def edited_note(where: str, name: str, settings: Mapping[str, Any]) -> str:
    """One line about the latest study of the same task in the store, if this one is not in it.

    Empty where there is none, or the study `name` goes on. `settings`: see core.identity.
    """
    infos = _studies(where)
    if any(info.name == name for info in infos):
        return ""
    others = [i for i in infos if i.settings.get("task") == settings.get("task")]
    if not others:
        return ""
    latest = others[-1]
    found = _differences(latest.settings, settings)
    if not found:
        return ""
    place = "the store" if "://" in where else where  # an address may hold a password
    differs = ", ".join(found)
    return f"note: {place} holds {latest.name}, which differs in: {differs}; this is a new study"


def _studies(where: str) -> list[StudyInfo]:
    """Those in the store; none where it cannot be read, which the run itself will say better."""
    from optimand.core.errors import OptimandError
    from optimand.storage.connect import connect

    try:
        with closing(connect(where, read_only=True)) as store:
            return store.studies()
    except OptimandError:
        return []


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    before, now = old.get("candidates", {}), new.get("candidates", {})
    found = []
    if before.keys() != now.keys():
        same = len(before.keys() & now.keys())
        found.append(f"candidates ({same} of {len(now)} the same)")
    elif before != now:
        found.append("names of candidates")
    return found + [
        words for key, words in _WORDS.items() if key in old and old[key] != new.get(key)
    ]
