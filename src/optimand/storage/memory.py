"""A store that lives as long as the process: for tests, notebooks and quick tries."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from optimand.core.errors import StorageError, StudyBusy
from optimand.core.keys import canonical
from optimand.core.store import Event, StudyInfo
from optimand.storage.names import check_name

__all__ = ["MemoryStore"]


@dataclass
class _Study:
    """What a study holds; its journals are views of it."""

    name: str
    settings: Mapping[str, Any]
    created: str
    busy: bool = False
    events: list[Event] = field(default_factory=list)
    by_key: dict[str, Event] = field(default_factory=dict)
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)


class _MemoryJournal:
    immediate = True

    def __init__(self, study: _Study, *, writer: bool) -> None:
        self.name = study.name
        self._study = study
        self._writer = writer

    def append(self, events: Sequence[Event]) -> None:
        if not self._writer:
            raise StorageError(f"study {self.name!r} is open for reading only, or closed")
        # As on disk: all or nothing, and later changes to a body change nothing here.
        bodies = [json.loads(canonical(event.body)) for event in events]
        study = self._study
        for event, body in zip(events, bodies, strict=True):
            if event.key in study.by_key:
                continue
            stored = Event(event.kind, body, event.key, event.at, len(study.events) + 1)
            study.events.append(stored)
            if event.key:
                study.by_key[event.key] = stored

    def find(self, key: str) -> Event | None:
        return self._study.by_key.get(key)

    def keys(self) -> set[str]:
        return set(self._study.by_key)

    def events(self, kinds: Collection[str] | None = None) -> Iterator[Event]:
        present = islice(self._study.events, len(self._study.events))
        return (e for e in present if kinds is None or e.kind in kinds)

    def ask(self, question: Mapping[str, Any], key: str) -> None:
        """Put a question to people; asking again changes nothing."""
        self._study.questions.setdefault(key, dict(question))

    def answer(self, key: str) -> dict[str, Any] | None:
        """The answer to the question with this key, once somebody gave it."""
        return self._study.answers.get(key)

    def questions(self) -> list[tuple[str, dict[str, Any]]]:
        """The questions without an answer, oldest first, each with its key."""
        study = self._study
        return [(key, q) for key, q in study.questions.items() if key not in study.answers]

    def give(self, key: str, answer: Mapping[str, Any]) -> None:
        """Answer a question; the first answer stands."""
        if key in self._study.questions:
            self._study.answers.setdefault(key, dict(answer))

    def close(self) -> None:
        if self._writer:
            self._writer = self._study.busy = False


class MemoryStore:
    """A Store without a file; nothing survives the process."""

    url = "memory:"

    def __init__(self) -> None:
        self._studies: dict[str, _Study] = {}

    def studies(self) -> list[StudyInfo]:
        return [
            StudyInfo(s.name, s.created, len(s.events), s.settings) for s in self._studies.values()
        ]

    def write(self, study: str, settings: Mapping[str, Any]) -> _MemoryJournal:
        check_name(study)
        if study not in self._studies:
            made = datetime.now(UTC).isoformat(timespec="seconds")
            self._studies[study] = _Study(study, json.loads(canonical(settings)), made)
        entry = self._studies[study]
        if entry.busy:
            raise StudyBusy(
                f"study {study!r} is already being written in this process. Close that journal, "
                f"or read it meanwhile: store.read({study!r})."
            )
        entry.busy = True
        return _MemoryJournal(entry, writer=True)

    def read(self, study: str) -> _MemoryJournal:
        check_name(study)
        if study not in self._studies:
            names = ", ".join(self._studies) or "none"
            raise StorageError(f"{self.url}: no study {study!r}. Studies there: {names}.")
        return _MemoryJournal(self._studies[study], writer=False)

    def desk(self, study: str) -> _MemoryJournal:
        """The study's questions to people, open for answers beside the run that asks them."""
        return self.read(study)

    def close(self) -> None:
        """Nothing to free."""
