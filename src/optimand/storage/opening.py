"""Open a study for writing, in a store or at its path or URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from optimand.core.errors import InputError
from optimand.core.store import Journal, Store
from optimand.core.usercode import shown

__all__ = ["opened", "place_of"]


def place_of(store: Store | str | Path | None) -> Store | str | Path:
    """Where a study is kept: the store that was given, or memory for None and "memory:"."""
    if store is None or (isinstance(store, str) and store == "memory:"):
        from optimand.storage.memory import MemoryStore

        return MemoryStore()
    return store


@contextmanager
def opened(store: Store | str | Path, name: str, settings: Mapping[str, Any]) -> Iterator[Journal]:
    """The study's journal, closed at the end together with a store that was opened for it."""
    place = store
    if isinstance(place, str | Path):
        from optimand.storage.connect import connect

        place = connect(place)
    elif not hasattr(place, "write"):
        raise InputError(f"store is {shown(place)}: use a path, a URL or a store")
    try:
        with closing(place.write(name, settings)) as journal:
            yield journal
    finally:
        if place is not store:
            place.close()
