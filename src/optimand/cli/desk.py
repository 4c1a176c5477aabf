"""The desk of a study file's human judge: its questions lie in the study's own store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optimand.cli.common import command

if TYPE_CHECKING:
    from optimand.core.store import OpenDesk, Store

__all__ = ["StudyDesk"]


class StudyDesk:
    """Puts questions into the store, where `optimand answer` finds them.

    `study` must be set before the first question. `tell` is called once, with the first question
    whose answer is not there yet.
    """

    def __init__(self, where: str, tell: Callable[[str], None]) -> None:
        self.where = where
        self.study = ""
        self._tell = tell
        self._store: Store | None = None
        self._open: OpenDesk | None = None
        self._told = False

    def ask(self, question: dict[str, Any], key: str) -> None:
        """See the Desk protocol."""
        self._desk().ask(question, key)

    def answer(self, key: str) -> dict[str, Any] | None:
        """See the Desk protocol."""
        answer = self._desk().answer(key)
        if answer is None and not self._told:
            self._told = True
            place = self._store.url if self._store else ""  # which holds no password
            line = command("answer", self.study, store=place)
            self._tell(f"questions wait for a person; in another terminal: {line}")
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
            self._open = self._store.desk(self.study)
        return self._open
