"""The desk of a study file's human judge: its questions lie in the study's own store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from optimand.core.store import Store

__all__ = ["OpenDesk", "StudyDesk", "open_desk"]


class OpenDesk(Protocol):
    """A desk with both sides: questions are put and answered."""

    def ask(self, question: dict[str, Any], key: str) -> None: ...

    def answer(self, key: str) -> dict[str, Any] | None: ...

    def questions(self) -> list[tuple[str, dict[str, Any]]]: ...

    def give(self, key: str, answer: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


def open_desk(store: Store, study: str) -> OpenDesk:
    """The desk of a study; raises InputError for a store that keeps no questions."""
    from optimand.core.errors import InputError

    make: Callable[[str], OpenDesk] | None = getattr(store, "desk", None)
    if make is None:
        raise InputError(f"{store.url}: this kind of store keeps no questions to people")
    return make(study)


class StudyDesk:
    """Puts questions into the store, where `optimand answer` finds them.

    `study` must be set before the first question. `tell` is called once for every question whose
    answer is not there yet.
    """

    def __init__(self, where: str, tell: Callable[[str], None]) -> None:
        self.where = where
        self.study = ""
        self._tell = tell
        self._store: Store | None = None
        self._open: OpenDesk | None = None
        self._waiting: set[str] = set()

    def ask(self, question: dict[str, Any], key: str) -> None:
        """See the Desk protocol."""
        self._desk().ask(question, key)

    def answer(self, key: str) -> dict[str, Any] | None:
        """See the Desk protocol."""
        answer = self._desk().answer(key)
        if answer is None and key not in self._waiting:
            self._waiting.add(key)
            place = self._store.url if self._store else ""  # which holds no password
            self._tell(
                "a question waits for a person; in another terminal: "
                f"optimand answer {self.study} --store {place}"
            )
        return answer

    def close(self) -> None:
        """Free the connections."""
        if self._open is not None:
            self._open.close()
        if self._store is not None:
            self._store.close()
        self._open = self._store = None

    def _desk(self) -> OpenDesk:
        if self._open is None:
            from optimand.storage.connect import connect

            self._store = connect(self.where)
            self._open = open_desk(self._store, self.study)
        return self._open
