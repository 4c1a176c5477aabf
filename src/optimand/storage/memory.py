"""A store that lives as long as the process: for tests, notebooks and quick tries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from optimand.core.errors import StorageError, StudyBusy
from optimand.core.store import Event, StudyInfo

__all__ = ["MemoryStore"]


class _MemoryJournal:
    immediate = True

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self.name = name
        self.settings = settings
        self.created = datetime.now(UTC).isoformat(timespec="seconds")
        self.busy = False
        self._events: list[Event] = []
        self._by_key: dict[str, Event] = {}
        self.questions: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, dict[str, Any]] = {}

    def append(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.key in self._by_key:
                continue
            stored = replace(event, seq=len(self._events) + 1)
            self._events.append(stored)
            if event.key:
                self._by_key[event.key] = stored

    def find(self, key: str) -> Event | None:
        return self._by_key.get(key)

    def keys(self) -> set[str]:
        return set(self._by_key)

    def events(self, kinds: Collection[str] | None = None) -> Iterator[Event]:
        return (e for e in list(self._events) if kinds is None or e.kind in kinds)

    def ask(self, question: Mapping[str, Any], key: str) -> None:
        self.questions.setdefault(key, dict(question))

    def answer(self, key: str) -> dict[str, Any] | None:
        return self.answers.get(key)

    def close(self) -> None:
        self.busy = False


class MemoryStore:
    """A Store without a file; nothing survives the process."""

    url = ":memory:"

    def __init__(self) -> None:
        self._studies: dict[str, _MemoryJournal] = {}

    def studies(self) -> list[StudyInfo]:
        return [
            StudyInfo(j.name, j.created, len(list(j.events())), j.settings)
            for j in self._studies.values()
        ]

    def write(self, study: str, settings: Mapping[str, Any]) -> _MemoryJournal:
        journal = self._studies.setdefault(study, _MemoryJournal(study, dict(settings)))
        if journal.busy:
            raise StudyBusy(f"study {study!r} is already being written in this process")
        journal.busy = True
        return journal

    def read(self, study: str) -> _MemoryJournal:
        if study not in self._studies:
            raise StorageError(f"no study {study!r} in this store: it has {sorted(self._studies)}")
        return self._studies[study]

    def close(self) -> None:
        """Nothing to free."""
