"""Studies in a PostgreSQL database, for teams and for runs on many machines."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from optimand.core.errors import SetupError, StorageError
from optimand.core.store import StudyInfo
from optimand.storage import schema
from optimand.storage.forks import not_in_children, refuse_children
from optimand.storage.locks import busy
from optimand.storage.postgres_url import PostgresUrl, read_url
from optimand.storage.sql import SqlJournal, list_studies, study_row

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresStore"]

TYPES = {"serial": "BIGSERIAL PRIMARY KEY", "real": "DOUBLE PRECISION", "bytes": "BYTEA"}
LOCKS = 0x6F70746D
"""The first half of our advisory locks' keys, so that they meet nobody else's."""
PATIENCE_SECONDS = 2.0
"""A server needs a moment to notice that a writer was killed."""

# A writer's machine that vanished gives its study free after about a minute.
SESSION = (
    "SET search_path TO optimand",
    "SET tcp_keepalives_idle TO 30",
    "SET tcp_keepalives_interval TO 10",
    "SET tcp_keepalives_count TO 3",
    "SET idle_in_transaction_session_timeout TO 0",
    "SET statement_timeout TO 0",
)

READER = ("SET default_transaction_read_only TO on",)


class _Connection:
    """What SqlJournal needs of a database, with psycopg's errors turned into ours."""

    immediate = False
    mark = "%s"

    def __init__(self, url: PostgresUrl, *, read_only: bool) -> None:
        self.where = url.shown
        self._url = url
        self._turn = threading.RLock()
        self._process = os.getpid()
        with self.guard():
            self._db: psycopg.Connection[Any] = _driver().connect(
                autocommit=True,
                **{
                    "connect_timeout": 10,
                    "application_name": f"optimand process {os.getpid()} on {_host()}",
                    **url.parameters,
                },
            )
        not_in_children(self)
        try:
            self.execute("; ".join((*SESSION, *(READER if read_only else ()))))
        except BaseException:
            self._db.close()
            raise

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Errors name the server and never hold the password, nor the error that might."""
        # Before any lock, which another thread may have held.
        refuse_children(self._process, self.where)
        try:
            yield
        except _driver().Error as error:
            text = self._url.without_secrets(" ".join(str(error).split()))
            raise StorageError(f"{self.where}: {text}. {_advice(text)}") from None

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.guard(), self._turn:
            cursor = self._db.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def transaction(self, batches: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None:
        """Run all statements in one transaction, sent in one go, or none of them."""
        with self.guard(), self._turn, self._db.pipeline(), self._db.transaction():
            for statement, rows in batches:
                self._db.cursor().executemany(statement, rows)

    @contextlib.contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        with self.guard(), self._turn, self._db.transaction():
            yield

    def close(self) -> None:
        if os.getpid() != self._process:
            return  # it would tell the server that the parent leaves
        with self._turn:  # a commit on another thread ends first
            self._db.close()

    def let_go(self) -> None:
        """See `forks`: the server frees a study only when no process has its connection open."""
        # In place of closing: the number stays taken, and psycopg leaves it alone in a child.
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        os.dup2(nothing, self._db.fileno(), inheritable=False)
        os.close(nothing)


_DAMAGED = "The tables of the schema 'optimand' are damaged: restore a copy, or choose another."


def _advice(text: str) -> str:
    hints = {
        "authentication failed": "Check user and password.",
        "no password supplied": "Put it in ~/.pgpass, PGPASSWORD or the URL.",
        "relation": _DAMAGED,
        "column": _DAMAGED,
        "does not exist": "Create it, or check the URL.",
        "permission denied": "The user needs the right to create and use the schema 'optimand'.",
        "read-only": "Open the study for writing, and not on a standby server.",
        "No space left": "Free some space on the server and run again; what was committed is kept.",
        "No such file": "Is the server running, and the socket folder right?",
        "refused": "Is the server running, and are host and port right?",
    }
    other = "Run the same command again when the server is there; what was committed is kept."
    return next((hint for sign, hint in hints.items() if sign in text), other)


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise SetupError(
            "a PostgreSQL store needs the extra `postgres`: pip install 'optimand[postgres]'"
        ) from error
    return psycopg


def _host() -> str:
    return socket.gethostname()[:30]


class PostgresStore:
    """Studies in the schema `optimand` of the database at a URL postgresql://user@host/database.

    What the URL leaves out comes from the environment and files that PostgreSQL's own tools read
    (PGPASSWORD, ~/.pgpass). `url` holds no password. Needs sessions of its own: a pooler must not
    share one between clients (PgBouncer: pool_mode = session). Raises SetupError without psycopg,
    InputError for a URL that cannot be read, StorageError for anything the server refuses.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self._where = read_url(url)
        self.url = self._where.shown
        self.read_only = read_only
        self._db = self._connect(read_only)
        try:
            if not self._is_ready():
                self._bring_up()
        except BaseException:
            self._db.close()
            raise

    def __repr__(self) -> str:
        return f"PostgresStore({self.url!r})"

    def _connect(self, read_only: bool) -> _Connection:
        return _Connection(self._where, read_only=read_only)

    def _is_ready(self) -> bool:
        if self._db.execute("SELECT to_regclass('optimand.optimand')")[0][0] is None:
            if self.read_only:
                raise StorageError(f"{self.url}: no store there. `optimand pick` makes one.")
            return False
        return schema.is_current(self._db, self.read_only)

    def _bring_up(self) -> None:
        db = self._db
        # One at a time, and look again: another process may have been quicker. Before the
        # transaction, because only its start makes the server look at what others committed.
        db.execute("SELECT pg_advisory_lock(%s, 0)", (LOCKS,))
        try:
            with db.all_or_nothing():
                if db.execute("SELECT to_regclass('optimand.optimand')")[0][0] is not None:
                    schema.migrate(db.execute, schema.version(db), self.url)
                    return
                db.execute("CREATE SCHEMA IF NOT EXISTS optimand")
                schema.create(db.execute, TYPES)
        finally:
            db.execute("SELECT pg_advisory_unlock(%s, 0)", (LOCKS,))

    def studies(self) -> list[StudyInfo]:
        return list_studies(self._db)

    def write(self, study: str, settings: Mapping[str, Any]) -> SqlJournal:
        if self.read_only:
            raise StorageError(f"{self.url}: opened for reading only; open it without read_only.")
        row = study_row(self._db, study, settings)
        db = self._connect(False)
        try:
            _lock(db, study, row)
        except BaseException:
            db.close()
            raise
        # The lock belongs to the connection: closing it, or dying, gives it back.
        return SqlJournal(db, study, row)

    def read(self, study: str) -> SqlJournal:
        row = study_row(self._db, study, None)
        return SqlJournal(self._connect(True), study, row)

    def desk(self, study: str) -> SqlJournal:
        """The study's questions to people, open for answers beside the run that asks them."""
        row = study_row(self._db, study, None)
        return SqlJournal(self._connect(self.read_only), study, row)

    def close(self) -> None:
        self._db.close()


def _lock(db: _Connection, study: str, row: int) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not db.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCKS, row))[0][0]:
        if time.monotonic() > end:
            holders = db.execute(
                "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) "
                "WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND granted",
                (LOCKS, row),
            )
            raise busy(db.where, study, holders[0][0] if holders else "another process")
        time.sleep(0.05)
