"""A study's log in SQL: the statements that SQLite and PostgreSQL share."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from optimand.core.errors import StorageError
from optimand.core.keys import canonical
from optimand.core.store import Event, StudyInfo
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
    return [StudyInfo(n, c, int(count), json.loads(s)) for n, c, s, count in rows]


def study_row(db: Connection, study: str, settings: Mapping[str, Any] | None) -> int:
    """The study's row number; with `settings` it is made when new, without it must exist."""
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
        names = ", ".join(info.name for info in list_studies(db)) or "none"
        raise StorageError(f"{db.where}: no study {study!r}. Studies there: {names}.")
    return int(rows[0][0])


class SqlJournal:
    """See the Journal protocol; `release` frees the writer's lock."""

    def __init__(
        self, db: Connection, study: str, row: int, release: Callable[[], None] | None = None
    ) -> None:
        self.name = study
        self.immediate = db.immediate
        self._db = db
        self._row = row
        self._release = release
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
        self._db.transaction(batches)

    def find(self, key: str) -> Event | None:
        mark = self._db.mark
        rows = self._db.execute(
            f"{self._columns} WHERE study = {mark} AND key = {mark}", (self._row, key)
        )
        return self._event(rows[0]) if rows else None

    def keys(self) -> set[str]:
        statement = f"SELECT key FROM event WHERE study = {self._db.mark} AND key IS NOT NULL"
        return {key for (key,) in self._db.execute(statement, (self._row,))}

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
        return json.loads(rows[0][0]) if rows and rows[0][0] is not None else None

    def questions(self) -> list[tuple[str, dict[str, Any]]]:
        """The questions without an answer, oldest first, each with its key."""
        rows = self._db.execute(
            f"SELECT key, question FROM answer WHERE study = {self._db.mark} "
            "AND answer IS NULL ORDER BY seq",
            (self._row,),
        )
        return [(key, json.loads(question)) for key, question in rows]

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
        try:
            return Event(kind, decode(body, self._payload), key or "", float(at), int(seq))
        except (ValueError, TypeError, zlib.error) as error:
            raise StorageError(
                f"{self._db.where}: event {seq} of study {self.name!r} cannot be read ({error}): "
                "the store is damaged. Restore a copy, or begin the study in another store."
            ) from error

    def _payload(self, name: str) -> bytes:
        rows = self._db.execute(f"SELECT data FROM payload WHERE hash = {self._db.mark}", (name,))
        if not rows:
            raise ValueError(f"its payload {name} is missing")
        return bytes(rows[0][0])

    def close(self) -> None:
        try:
            self._db.close()
        finally:
            release, self._release = self._release, None
            if release is not None:
                release()
