"""A connection to an SQLite file, with SQLite's errors turned into ours."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from optimand.core.errors import StorageError
from optimand.storage.forks import refuse_children

__all__ = ["PATIENCE_SECONDS", "Connection", "tidy"]

PATIENCE_SECONDS = 30.0
"""How long a statement waits for another writer's transaction."""

_DAMAGED = (
    "the file is damaged. Restore a copy, save what can be read with "
    "`sqlite3 FILE .recover`, or choose another store"
)
_HINTS = {
    "disk is full": "free some space and run the same command again; what was committed is kept",
    "malformed": _DAMAGED,
    "no such table": _DAMAGED,
    "no such column": _DAMAGED,
    "decode to UTF-8": _DAMAGED,
    "codec can't decode": _DAMAGED,
    "not a database": "this file is not an optimand store; choose another path",
    "readonly": "make the file and its folder writable, or choose another store",
    "unable to open": "it must be a file, in a folder that you may write to (to read a store, none "
    "of this is needed: open it with read_only)",
    "locked": "another program holds the file; close it and try again",
    "disk I/O": "check the disk, its free space and its rights",
}


def tidy(place: Path) -> None:
    """Let SQLite remove the files beside a store that nothing is in and nobody uses.

    Reading makes them (`-wal`, `-shm`), and a reader may not remove them. The last connection that
    may write does, under SQLite's own lock: it leaves them where another one is open. A log that is
    not empty is left to the next writer, so that this never changes the store.
    """
    log = place.with_name(f"{place.name}-wal")
    with contextlib.suppress(OSError, sqlite3.Error, UnicodeDecodeError):
        if log.stat().st_size or not os.access(place, os.W_OK):
            return
        uri = f"file://{quote(os.fsencode(place))}?mode=rw"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchall()


class Connection:
    """What SqlJournal needs of a database.

    `place` is the file (see `files.locate`), `where` how the user calls it.
    """

    immediate = True
    mark = "?"

    def __init__(self, place: Path, where: str, mode: str) -> None:
        self.where = where
        self._turn = threading.RLock()
        self._process = os.getpid()
        with self.guard():
            self._db = sqlite3.connect(
                f"file://{quote(os.fsencode(place))}?{mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=PATIENCE_SECONDS,
            )

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        # Before any lock, which another thread may have held.
        refuse_children(self._process, self.where)
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            text = str(error)
            hint = next((hint for sign, hint in _HINTS.items() if sign in text), "check the file")
            raise StorageError(f"{self.where}: {text}; {hint}.") from error

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.guard(), self._turn:
            return self._db.execute(statement, values).fetchall()

    def transaction(self, batches: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None:
        """Run all statements in one transaction, or none of them."""
        with self.all_or_nothing("IMMEDIATE") as db:
            for statement, rows in batches:
                db.executemany(statement, rows)

    @contextlib.contextmanager
    def all_or_nothing(self, lock: str) -> Iterator[sqlite3.Connection]:
        with self.guard(), self._turn:
            self._db.execute(f"BEGIN {lock}")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @property
    def foreign(self) -> bool:
        """Whether this process was forked from the one that opened the connection."""
        return os.getpid() != self._process

    def close(self) -> None:
        if self.foreign:
            return  # it would end what the parent still uses
        with self.guard(), self._turn:  # a commit on another thread ends first
            self._db.close()
