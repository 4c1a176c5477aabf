"""The default store: one SQLite file in write-ahead mode, one writer per study, any readers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optimand.core.errors import StorageError
from optimand.core.store import StudyInfo
from optimand.storage import schema
from optimand.storage.files import NoSuchStore, check_writable, identity, locate, shown
from optimand.storage.locks import StudyLock
from optimand.storage.names import check_name
from optimand.storage.sql import SqlJournal, list_studies, study_row
from optimand.storage.sqlite_connection import PATIENCE_SECONDS, Connection, tidy
from optimand.storage.watch import Watch

__all__ = ["SqliteStore"]

TYPES = {"serial": "INTEGER PRIMARY KEY", "real": "REAL", "bytes": "BLOB"}


class SqliteStore:
    """Studies in one SQLite file at `path`.

    A commit survives a killed process; with `durable` it survives a power cut too, at some
    milliseconds per commit. `read_only` opens an existing file without the right to change it.
    Raises StorageError for a file that is missing, damaged, of another program or too new.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, durable: bool = False) -> None:
        self.path = locate(path)
        self.url = shown(path)
        self.read_only = read_only
        self.durable = durable
        if read_only and not self.path.exists():
            raise NoSuchStore(f"{self.url}: no such store. `optimand pick` makes one.")
        if not read_only:
            check_writable(self.path, self.url)
        self._db = self._reader() if read_only else self._connect("mode=rwc")
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise
        self._identity = identity(self.path)

    def _connect(self, mode: str) -> Connection:
        return Connection(self.path, self.url, mode)

    def _check_identity(self) -> None:
        if identity(self.path) != self._identity:
            raise StorageError(
                f"{self.url}: the file was removed or replaced after this store was opened. "
                "Open it anew."
            )

    def _prepare(self) -> None:
        """Look before the first change: the file may belong to another program."""
        if not _is_ready(self._db, self.read_only):
            with self._db.all_or_nothing("EXCLUSIVE"):
                if not _is_ready(self._db, False):  # unless another process was quicker
                    _bring_up(self._db)
        if not self.read_only:
            self._set_up(self._db)

    def _set_up(self, db: Connection) -> None:
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

    def _writer(self) -> Connection:
        db = self._connect("mode=rw")
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _reader(self) -> Connection:
        """A connection that cannot write, also on a medium where not even SQLite's index can."""
        db = self._connect("mode=ro")
        try:
            db.execute("SELECT count(*) FROM sqlite_master")
        except StorageError as error:
            db.close()
            if not any(sign in str(error) for sign in ("unable to open", "readonly")):
                raise
            wal = self.path.with_name(f"{self.path.name}-wal")
            if wal.exists() and wal.stat().st_size:
                raise StorageError(
                    f"{self.url}: the newest events are still in {shown(wal.name)}, which SQLite "
                    "cannot read in a folder that is not writable; copy both files to one that is."
                ) from error
            return self._connect("mode=ro&immutable=1")
        return db

    def studies(self) -> list[StudyInfo]:
        return list_studies(self._db)

    def write(self, study: str, settings: Mapping[str, Any]) -> SqlJournal:
        if self.read_only:
            raise StorageError(f"{self.url}: opened for reading only; open it without read_only.")
        check_name(study)
        self._check_identity()
        lock = StudyLock(self.path, study, self.url)
        try:
            row = study_row(self._db, study, settings)
            db = self._writer()
            watch = Watch(db, self.path, self._identity, lock)
            return SqlJournal(db, study, row, lock.release, watch)
        except BaseException:
            lock.release()
            raise

    def read(self, study: str) -> SqlJournal:
        self._check_identity()
        return SqlJournal(self._reader(), study, study_row(self._db, study, None))

    def desk(self, study: str) -> SqlJournal:
        """The study's questions to people, open for answers beside the run that asks them."""
        self._check_identity()
        row = study_row(self._db, study, None)
        return SqlJournal(self._reader() if self.read_only else self._writer(), study, row)

    def close(self) -> None:
        self._db.close()
        ours = not self._db.foreign and identity(self.path) == self._identity
        if self.read_only and ours:
            tidy(self.path)


def _is_ready(db: Connection, read_only: bool) -> bool:
    """Whether the tables are there, at this version; raises StorageError for a foreign file."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if "optimand" in tables:
        return schema.is_current(db, read_only)
    if tables:
        raise StorageError(f"{db.where}: a database of another program; choose another path.")
    if read_only:
        raise StorageError(f"{db.where}: an empty file, not a store.")
    return False


def _bring_up(db: Connection) -> None:
    if db.execute("SELECT name FROM sqlite_master"):
        schema.migrate(db.execute, schema.version(db), db.where)
    else:
        schema.create(db.execute, TYPES)
