"""The protocol of stores: studies, each an append-only log of events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

__all__ = ["Event", "Journal", "OpenDesk", "Store", "StudyInfo"]


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a study's log. `key` is the content key of a cached call, or "".

    `at`: seconds of active time since the study began. `seq` is given by the store, from 1 up.
    """

    kind: str
    body: Mapping[str, Any]
    key: str = ""
    at: float = 0.0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """A study as `optimand list` shows it."""

    name: str
    created: str
    events: int
    settings: Mapping[str, Any]


@runtime_checkable
class Journal(Protocol):
    """One study's log. Only one writer at a time; readers never block it.

    Contract: `append` writes all events in one transaction and returns when they are committed:
    a process killed after it returned has lost nothing. `find` returns the first event with that
    key. `immediate` says that `append` is quick enough for the event loop's own thread.
    """

    name: str
    immediate: bool

    def append(self, events: Sequence[Event]) -> None: ...

    def find(self, key: str) -> Event | None: ...

    def keys(self) -> set[str]: ...

    def events(self, kinds: Collection[str] | None = None) -> Iterator[Event]: ...

    def close(self) -> None: ...


@runtime_checkable
class OpenDesk(Protocol):
    """One study's questions to people; open beside the run that asks them.

    Contract: questions and answers are plain JSON. `ask` with a key that is known changes nothing.
    `answer` is None until somebody gave one, and then always that one: the first stands.
    `questions` are those without an answer, oldest first, each with its key.
    """

    def ask(self, question: Mapping[str, Any], key: str) -> None: ...

    def answer(self, key: str) -> dict[str, Any] | None: ...

    def questions(self) -> list[tuple[str, dict[str, Any]]]: ...

    def give(self, key: str, answer: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


@runtime_checkable
class Store(Protocol):
    """A place for studies.

    `write` makes or opens a study for writing: `settings` are stored when it is new, and returned
    by `studies`. Raises StudyBusy when another process writes to it, StorageError otherwise.
    `read` opens an existing study for reading only, also while it is written; `desk` its questions
    to people, also while it is written (in a store opened for reading, to look only).
    """

    url: str

    def studies(self) -> list[StudyInfo]: ...

    def write(self, study: str, settings: Mapping[str, Any]) -> Journal: ...

    def read(self, study: str) -> Journal: ...

    def desk(self, study: str) -> OpenDesk: ...

    def close(self) -> None: ...
