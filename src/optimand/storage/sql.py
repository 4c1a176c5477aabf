"""A study's log in SQL: the statements that SQLite and PostgreSQL share."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol

from optimand.core.errors import StorageError
from optimand.core.keys import canonical
from optimand.core.shapes import AMOUNT, MAPPING, TEXT, breach
from optimand.core.store import Event, StudyInfo
from optimand.storage.bodies import check_body, check_settings
from optimand.storage.names import check_name
from optimand.storage.payloads import decode, encode

__all__ = ["Connection", "SqlJournal", "list_studies", "study_row"]

PAGE = 256


class Connection(Protocol):
    """A database connection; `mark` stands for a value in its statements."""

    immediate: bool
    mark: str
    where: str

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]: ...

    def transaction(self, batches: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None: ...

    def close(self) -> None: ...


def list_studies(db: Connection) -> list[StudyInfo]:
    """All studies, oldest first."""
    rows = db.execute(
        "SELECT name, created, settings, (SELECT count(*) FROM event WHERE study = study.id) "
        "FROM study ORDER BY id"
    )
    return [_info(db, *row) for row in rows]


def _info(db: Connection, name: Any, created: Any, settings: Any, events: Any) -> StudyInfo:
    with _sound(db, f"study {name!r}"):
        check_name(name)
        for what, text in (("created", created), ("settings", settings)):
            _hold(breach(what, text, TEXT))
        known = json.loads(settings)
        check_settings(known)
        return StudyInfo(name, created, int(events), known)


@contextmanager
def _sound(db: Connection, what: str) -> Iterator[None]:
    """Within, what cannot be decoded becomes an error that says where it was and what to do."""
    try:
        yield
    except (ValueError, TypeError, RecursionError, zlib.error) as error:
        raise StorageError(
            f"{db.where}: {what} cannot be read ({error}): the store is damaged. "
            "Restore a copy, or begin the study in another store."
        ) from error


def _hold(complaint: str) -> None:
    if complaint:
        raise ValueError(complaint)


def study_row(db: Connection, study: str, settings: Mapping[str, Any] | None) -> int:
    """The study's row number; with `settings` it is made when new, without it must exist."""
    check_name(study)
    select = f"SELECT id FROM study WHERE name = {db.mark}"
    if settings is not None and not db.execute(select, (study,)):
        made = datetime.now(UTC).isoformat(timespec="seconds")
        marks = ", ".join([db.mark] * 3)
        db.transaction(
            [
                (
                    f"INSERT INTO study (name, created, settings) VALUES ({marks}) "
                    "ON CONFLICT (name) DO NOTHING",
                    [(study, made, canonical(settings))],
                )
            ]
        )
    rows = db.execute(select, (study,))
    if not rows:
        known = db.execute("SELECT name FROM study ORDER BY id")
        names = ", ".join(str(name) for (name,) in known) or "none"
        raise StorageError(f"{db.where}: no study {study!r}. Studies there: {names}.")
    with _sound(db, f"the row of study {study!r}"):
        return int(rows[0][0])


class SqlJournal:
    """See the Journal protocol.

    `release` frees the writer's lock. `watch` is called after each commit: it raises StorageError
    where that went into a file that is no longer there.
    """

    def __init__(
        self,
        db: Connection,
        study: str,
        row: int,
        release: Callable[[], None] | None = None,
        watch: Callable[[], None] | None = None,
    ) -> None:
        self.name = study
        self.immediate = db.immediate
        self._db = db
        self._row = row
        self._release = release
        self._watch = watch
        mark = db.mark
        self._insert = (
            f"INSERT INTO event (study, kind, key, at, body) VALUES ({', '.join([mark] * 5)}) "
            "ON CONFLICT (study, key) DO NOTHING"
        )
        self._insert_payload = (
            f"INSERT INTO payload (hash, data) VALUES ({mark}, {mark}) "
            "ON CONFLICT (hash) DO NOTHING"
        )
        self._columns = "SELECT seq, kind, key, at, body FROM event"

    def append(self, events: Sequence[Event]) -> None:
        payloads: dict[str, bytes] = {}
        rows = [(self._row, e.kind, e.key or None, e.at, encode(e.body, payloads)) for e in events]
        batches: list[tuple[str, Sequence[Sequence[Any]]]] = [(self._insert, rows)]
        if payloads:
            batches.insert(0, (self._insert_payload, list(payloads.items())))
        try:
            self._db.transaction(batches)
        except StorageError as error:
            raise StorageError(f"{error}{_loss(events)}") from error.__cause__
        if self._watch is not None:
            self._watch()

    def find(self, key: str) -> Event | None:
        mark = self._db.mark
        rows = self._db.execute(
            f"{self._columns} WHERE study = {mark} AND key = {mark}", (self._row, key)
        )
        return self._event(rows[0]) if rows else None

    def keys(self) -> set[str]:
        statement = f"SELECT key FROM event WHERE study = {self._db.mark} AND key IS NOT NULL"
        keys = {key for (key,) in self._db.execute(statement, (self._row,))}
        with _sound(self._db, f"a key of study {self.name!r}"):
            for key in keys:
                _hold(breach("key", key, TEXT))
        return keys

    def events(self, kinds: Collection[str] | None = None) -> Iterator[Event]:
        """In pages, so that a reader that stops half-way holds nothing open."""
        mark, last = self._db.mark, 0
        where, values = f"study = {mark}", [self._row, *(kinds or ())]
        if kinds is not None:
            if not kinds:
                return
            where += f" AND kind IN ({', '.join([mark] * len(kinds))})"
        statement = f"{self._columns} WHERE {where} AND seq > {mark} ORDER BY seq LIMIT {PAGE}"
        while rows := self._db.execute(statement, [*values, last]):
            yield from map(self._event, rows)
            last = rows[-1][0]

    def ask(self, question: Mapping[str, Any], key: str) -> None:
        """Put a question to people; asking again changes nothing."""
        mark = self._db.mark
        statement = (
            f"INSERT INTO answer (study, key, question) VALUES ({mark}, {mark}, {mark}) "
            "ON CONFLICT (study, key) DO NOTHING"
        )
        self._db.transaction([(statement, [(self._row, key, canonical(question))])])

    def answer(self, key: str) -> dict[str, Any] | None:
        """The answer to the question with this key, once somebody gave it."""
        mark = self._db.mark
        rows = self._db.execute(
            f"SELECT answer FROM answer WHERE study = {mark} AND key = {mark}", (self._row, key)
        )
        if not rows or rows[0][0] is None:
            return None
        return self._plain("the answer to", key, rows[0][0])

    def questions(self) -> list[tuple[str, dict[str, Any]]]:
        """The questions without an answer, oldest first, each with its key."""
        rows = self._db.execute(
            f"SELECT key, question FROM answer WHERE study = {self._db.mark} "
            "AND answer IS NULL ORDER BY seq",
            (self._row,),
        )
        return [(key, self._plain("the", key, question)) for key, question in rows]

    def _plain(self, what: str, key: Any, text: Any) -> dict[str, Any]:
        with _sound(self._db, f"{what} question {key!r} of study {self.name!r}"):
            _hold(breach("key", key, TEXT))
            body: dict[str, Any] = json.loads(text)
            _hold(breach("text", body, MAPPING))
            return body

    def give(self, key: str, answer: Mapping[str, Any]) -> None:
        """Answer a question; the first answer stands."""
        mark = self._db.mark
        statement = (
            f"UPDATE answer SET answer = {mark} "
            f"WHERE study = {mark} AND key = {mark} AND answer IS NULL"
        )
        self._db.transaction([(statement, [(canonical(answer), self._row, key)])])

    def _event(self, row: Sequence[Any]) -> Event:
        seq, kind, key, at, body = row
        with _sound(self._db, f"event {seq} of study {self.name!r}"):
            _hold(breach("kind", kind, TEXT))
            _hold(breach("key", key or "", TEXT))
            _hold(breach("at", at, AMOUNT))
            content = decode(body, self._payload)
            check_body(kind, content)
            return Event(kind, content, key or "", float(at), int(seq))

    def _payload(self, name: str) -> bytes:
        rows = self._db.execute(f"SELECT data FROM payload WHERE hash = {self._db.mark}", (name,))
        if not rows:
            raise ValueError(f"its payload {name} is missing")
        data = rows[0][0]
        if not isinstance(data, bytes):
            raise ValueError(f"its payload {name} is {type(data).__name__}, not bytes")
        return data

    def close(self) -> None:
        try:
            self._db.close()
        finally:
            release, self._release = self._release, None
            if release is not None:
                release()


def _loss(events: Sequence[Event]) -> str:
    """What a failed commit means: results of calls, which have keys, are paid for again."""
    lost = sum(1 for event in events if event.key)
    if not lost:
        return ""
    which = "1 result that was paid for" if lost == 1 else f"{lost} results that were paid for"
    return f" {which} could not be saved; what is not saved, or in flight, is called again."
