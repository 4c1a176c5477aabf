"""The default store: one SQLite file in write-ahead mode, one writer per study, any readers."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from optimand.core.errors import StorageError
from optimand.core.store import StudyInfo
from optimand.storage import schema
from optimand.storage.locks import lock_study
from optimand.storage.sql import SqlJournal, list_studies, study_row

__all__ = ["SqliteStore"]

TYPES = {"serial": "INTEGER PRIMARY KEY", "real": "REAL", "bytes": "BLOB"}
PATIENCE_SECONDS = 30.0
"""How long a statement waits for another writer's transaction."""

_HINTS = {
    "disk is full": "free some space and run the same command again; nothing paid is lost",
    "malformed": "the file is damaged. Restore a copy, save what can be read with "
    "`sqlite3 FILE .recover`, or choose another store",
    "not a database": "this file is not an optimand store; choose another path",
    "readonly": "make the file and its folder writable, or choose another store",
    "unable to open": "it must be a file, in a folder that you may write to (to read a store, none "
    "of this is needed: open it with read_only)",
    "locked": "another program holds the file; close it and try again",
    "disk I/O": "check the disk, its free space and its rights",
}


class _Connection:
    """What SqlJournal needs of a database, with SQLite's errors turned into ours."""

    immediate = True
    mark = "?"

    def __init__(self, path: Path, mode: str) -> None:
        self.where = str(path)
        self._turn = threading.RLock()
        with self.guard():
            self._db = sqlite3.connect(
                f"file:{quote(str(path))}?{mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=PATIENCE_SECONDS,
            )

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            hint = next((hint for sign, hint in _HINTS.items() if sign in text), "check the file")
            raise StorageError(f"{self.where}: {text}; {hint}.") from error

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._turn, self.guard():
            return self._db.execute(statement, values).fetchall()

    def transaction(self, batches: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None:
        """Run all statements in one transaction, or none of them."""
        with self.all_or_nothing("IMMEDIATE") as db:
            for statement, rows in batches:
                db.executemany(statement, rows)

    @contextlib.contextmanager
    def all_or_nothing(self, lock: str) -> Iterator[sqlite3.Connection]:
        with self._turn, self.guard():
            self._db.execute(f"BEGIN {lock}")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._turn, self.guard():  # a commit on another thread ends first
            self._db.close()


class SqliteStore:
    """Studies in one SQLite file at `path`.

    A commit survives a killed process; with `durable` it survives a power cut too, at some
    milliseconds per commit. `read_only` opens an existing file without the right to change it.
    Raises StorageError for a file that is missing, damaged, of another program or too new.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, durable: bool = False) -> None:
        self.path = Path(path)
        self.url = str(path)
        self.read_only = read_only
        self.durable = durable
        if read_only and not self.path.exists():
            raise StorageError(f"{self.path}: no such store. `optimand pick` makes one.")
        if not self.path.parent.is_dir():
            raise StorageError(f"{self.path.parent}: no such folder; make it first.")
        self._db = self._reader() if read_only else _Connection(self.path, "mode=rwc")
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        """Look before the first change: the file may belong to another program."""
        if not _is_ready(self._db, self.read_only):
            with self._db.all_or_nothing("EXCLUSIVE"):
                if not _is_ready(self._db, False):  # unless another process was quicker
                    _bring_up(self._db)
        if not self.read_only:
            self._set_up(self._db)

    def _set_up(self, db: _Connection) -> None:
        # SQLite does not wait for others here, unlike everywhere else.
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
                break
            except StorageError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.02)
        db.execute(f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}")

    def _writer(self) -> _Connection:
        db = _Connection(self.path, "mode=rw")
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _reader(self) -> _Connection:
        """A connection that cannot write, also on a medium where not even SQLite's index can."""
        db = _Connection(self.path, "mode=ro")
        try:
            db.execute("SELECT count(*) FROM sqlite_master")
        except StorageError as error:
            db.close()
            if not any(sign in str(error) for sign in ("unable to open", "readonly")):
                raise
            wal = self.path.with_name(f"{self.path.name}-wal")
            if wal.exists() and wal.stat().st_size:
                raise StorageError(
                    f"{self.path}: the newest events are still in {wal.name}, which SQLite cannot "
                    "read in a folder that is not writable; copy both files to one that is."
                ) from error
            return _Connection(self.path, "mode=ro&immutable=1")
        return db

    def studies(self) -> list[StudyInfo]:
        return list_studies(self._db)

    def write(self, study: str, settings: Mapping[str, Any]) -> SqlJournal:
        if self.read_only:
            raise StorageError(f"{self.path}: opened for reading only; open it without read_only.")
        release = lock_study(self.path, study)
        try:
            row = study_row(self._db, study, settings)
            return SqlJournal(self._writer(), study, row, release)
        except BaseException:
            release()
            raise

    def read(self, study: str) -> SqlJournal:
        return SqlJournal(self._reader(), study, study_row(self._db, study, None))

    def desk(self, study: str) -> SqlJournal:
        """The study's questions to people, open for answers beside the run that asks them."""
        row = study_row(self._db, study, None)
        return SqlJournal(self._reader() if self.read_only else self._writer(), study, row)

    def close(self) -> None:
        self._db.close()


def _is_ready(db: _Connection, read_only: bool) -> bool:
    """Whether the tables are there, at this version; raises StorageError for a foreign file."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if "optimand" in tables:
        return schema.is_current(db, read_only)
    if tables:
        raise StorageError(f"{db.where}: a database of another program; choose another path.")
    if read_only:
        raise StorageError(f"{db.where}: an empty file, not a store.")
    return False


def _bring_up(db: _Connection) -> None:
    if db.execute("SELECT name FROM sqlite_master"):
        schema.migrate(db.execute, schema.version(db), db.where)
    else:
        schema.create(db.execute, TYPES)
