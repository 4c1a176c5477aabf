"""Notices that a store's files were removed or replaced while a run writes to them.

The system keeps a removed file for whoever has it open, and says nothing: the run would go on
into a file that vanishes with it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from optimand.core.errors import StorageError
from optimand.storage.files import identity, shown
from optimand.storage.locks import StudyLock
from optimand.storage.sqlite_connection import Connection

__all__ = ["Watch"]


class Watch:
    """Called after each commit (some microseconds); raises StorageError for a file that is gone.

    `known` is the file's identity when it was opened. What the lost file held is saved beside it
    first, where that is possible. SQLite's log and the lock file are looked at in turn: a log
    that is gone when a run ends was merged into the file, and has cost nothing.
    """

    def __init__(
        self, db: Connection, place: Path, known: tuple[int, int] | None, lock: StudyLock
    ) -> None:
        self._db = db
        self._place = place
        self._lock = lock
        self._paths = (os.fspath(place), f"{place}-wal")
        self._known = known
        self._log: tuple[int, int] | None = None  # made by the first commit
        self._is_turn_of_lock = False

    def __call__(self) -> None:
        store, log = self._paths
        if identity(store) != self._known:
            raise StorageError(self._report(self._db.where))
        if self._is_turn_of_lock:
            self._lock.renew()
        else:
            found = identity(log)
            self._log = self._log or found
            if found is None or found != self._log:
                raise StorageError(self._report(shown(log)))
        self._is_turn_of_lock = not self._is_turn_of_lock

    def _report(self, gone: str) -> str:
        text = f"{gone}: the file was removed or replaced while this run wrote to it. "
        saved = self._save()
        if saved is None:
            return f"{text}What was in it could not be saved. Restore a copy, or begin anew."
        name = shown(saved)
        return (
            f"{text}All that was committed until now is saved in {name}: to go on, run the same "
            f"with that file as the store."
        )

    def _save(self) -> Path | None:
        """Copy what the open connection still sees into a new file."""
        for copy in _free(self._place):
            try:
                self._db.execute("VACUUM INTO ?", (os.fspath(copy),))
            except (StorageError, UnicodeEncodeError):
                with contextlib.suppress(OSError):
                    copy.unlink()
                return None
            return copy
        return None


def _free(place: Path) -> Iterator[Path]:
    """The first name beside `place` that no file has."""
    for number in range(1, 1000):
        path = place.with_name(f"{place.stem}.saved-{number}{place.suffix}")
        if not path.exists():
            yield path
            return
