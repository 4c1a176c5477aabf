"""Notes that grow over a search: what keeps going wrong, where it was seen, what was tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Entry", "Notes"]


@dataclass(frozen=True)
class Entry:
    """One pattern: its name, the examples where it was seen, and all remedies in order.

    `text` says what is missing, `part` where that belongs; both are the latest that were given.
    """

    name: str
    seen: tuple[str, ...] = ()
    text: str = ""
    part: str = ""
    remedies: tuple[str, ...] = ()


class Notes:
    """Entries by name, without regard to case or spacing; at most `most` of them.

    `log` holds every (name, remedy) ever added and never shrinks, whatever is forgotten.
    """

    def __init__(self, most: int = 50) -> None:
        self._most = max(1, most)
        self._entries: dict[str, Entry] = {}
        self.log: list[tuple[str, str]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.ranked())

    def get(self, name: str) -> Entry | None:
        """The entry of that name."""
        return self._entries.get(_key(name))

    def add(
        self,
        name: str,
        seen: Iterable[str] = (),
        *,
        text: str = "",
        part: str = "",
        remedy: str = "",
    ) -> None:
        """Merge into the entry of that name, or begin one; beyond the limit the rarest is dropped.

        An empty name is no entry.
        """
        key = _key(name)
        if not key:
            return
        old = self._entries.get(key, Entry(" ".join(name.split())))
        if remedy:
            self.log.append((old.name, remedy))
        self._entries[key] = Entry(
            old.name,
            tuple(dict.fromkeys((*old.seen, *seen))),
            text or old.text,
            part or old.part,
            (*old.remedies, remedy) if remedy and remedy not in old.remedies else old.remedies,
        )
        if len(self._entries) > self._most:
            others = [e for e in self.ranked() if _key(e.name) != key]
            del self._entries[_key(others[-1].name)]

    def ranked(self) -> list[Entry]:
        """Those seen on most examples first; of equal ones the older."""
        return sorted(self._entries.values(), key=lambda entry: -len(entry.seen))


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
