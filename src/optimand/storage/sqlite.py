"""The default store: one SQLite file in write-ahead mode, one writer per study, any readers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from optimand.core.errors import StorageError, StudyBusy
from optimand.core.keys import content_hash
from optimand.core.store import StudyInfo
from optimand.storage import schema
from optimand.storage.sql import SqlJournal, list_studies, study_row

__all__ = ["SqliteStore"]

TYPES = {"serial": "INTEGER PRIMARY KEY AUTOINCREMENT", "real": "REAL", "bytes": "BLOB"}


class _Connection:
    """What SqlJournal needs of a database, with SQLite's errors turned into ours."""

    immediate = True
    mark = "?"

    def __init__(self, path: Path, *, read_only: bool, durable: bool) -> None:
        self.where = str(path)
        mode = "ro" if read_only else "rwc"
        with self.guard():
            self._db = sqlite3.connect(
                f"file:{quote(str(path))}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=30.0,
            )
            self._db.execute("PRAGMA busy_timeout = 30000")
            if not read_only:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(_advice(self.where, error)) from error

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.guard():
            return self._db.execute(statement, values).fetchall()

    def stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        with self.guard():
            yield from self._db.execute(statement, values)

    def transaction(self, batches: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None:
        """Run all statements in one transaction, or none of them."""
        with self.guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for statement, rows in batches:
                    self._db.executemany(statement, rows)
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self.guard():
            self._db.close()


def _advice(where: str, error: sqlite3.Error) -> str:
    text = str(error)
    hints = {
        "disk is full": "free some space and run the same command again; nothing paid is lost",
        "malformed": "the file is damaged: restore a copy, or choose another store",
        "not a database": "this file is not an optimand store: choose another path",
        "readonly": "make the file and its folder writable, or choose another store",
        "unable to open": "check that the folder exists and is writable",
        "locked": "another program holds the file: close it and try again",
        "disk I/O": "check the disk, its free space and its rights",
    }
    hint = next((advice for sign, advice in hints.items() if sign in text), "check the file")
    return f"{where}: {text}; {hint}"


class SqliteStore:
    """Studies in one SQLite file at `path`.

    A commit survives a killed process; with `durable` it survives a power cut too, at some
    milliseconds per commit. `read_only` opens an existing file without the right to change it.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, durable: bool = False) -> None:
        self.path = Path(path)
        self.url = str(path)
        self.read_only = read_only
        self.durable = durable
        if read_only and not self.path.exists():
            raise StorageError(f"{self.path}: no such store. `optimand pick` makes one.")
        if not self.path.parent.is_dir():
            raise StorageError(f"{self.path.parent}: no such folder; make it first")
        self._db = self._connect(read_only)
        self._prepare()

    def _connect(self, read_only: bool) -> _Connection:
        return _Connection(self.path, read_only=read_only, durable=self.durable)

    def _prepare(self) -> None:
        if not self.read_only:
            self._db.execute("BEGIN EXCLUSIVE")
        try:
            self._check_version()
        finally:
            if not self.read_only:
                self._db.execute("COMMIT")

    def _check_version(self) -> None:
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        if "optimand" in tables:
            found = int(self._db.execute("SELECT version FROM optimand")[0][0])
            if found < schema.VERSION and self.read_only:
                raise StorageError(f"{self.path}: an older store; open it for writing once")
            schema.migrate(self._db.execute, found, self.url)
        elif tables:
            raise StorageError(f"{self.path}: a database of another program; choose another path")
        elif self.read_only:
            raise StorageError(f"{self.path}: an empty file, not a store")
        else:
            schema.create(self._db.execute, TYPES)

    def studies(self) -> list[StudyInfo]:
        return list_studies(self._db)

    def write(self, study: str, settings: Mapping[str, Any]) -> SqlJournal:
        lock = _lock(self.path, study)
        try:
            row = study_row(self._db, study, settings)
            return SqlJournal(self._connect(False), study, row, release=lock)
        except BaseException:
            lock()
            raise

    def read(self, study: str) -> SqlJournal:
        return SqlJournal(self._connect(True), study, study_row(self._db, study, None))

    def close(self) -> None:
        self._db.close()


def _lock(path: Path, study: str) -> Callable[[], None]:
    """Take the study's writer lock, which the system frees when this process ends in any way."""
    name = path.with_name(f"{path.name}.{content_hash(study)[:8]}.lock")
    try:
        handle = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageError(f"{name}: {error.strerror}; make the folder writable") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(handle, 32, 0).decode(errors="replace").strip()
        os.close(handle)
        raise StudyBusy(
            f"study {study!r} in {path} is being written by process {holder or 'unknown'}. "
            "Wait for it, stop it, or look on with `optimand show`."
        ) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)

    def release() -> None:
        with contextlib.suppress(OSError):
            os.close(handle)

    return release
