"""The append-only schema, one text for SQLite and PostgreSQL, with its version and migrations.

study   one row per study: its name, settings and when it was made
event   the log; `key` is the content key of a cached call, unique per study where it is set
payload texts too long for the log's lines, stored once under the hash of their content
answer  what people answered to a judge's questions, written by other processes than the run's
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optimand.core.errors import StorageError

if TYPE_CHECKING:
    from optimand.storage.sql import Connection

__all__ = ["VERSION", "create", "is_current", "migrate", "version"]

VERSION = 1

TABLES = (
    "CREATE TABLE optimand (version INTEGER NOT NULL)",
    """CREATE TABLE study (
        id {serial}, name TEXT NOT NULL UNIQUE, created TEXT NOT NULL, settings TEXT NOT NULL)""",
    """CREATE TABLE event (
        seq {serial}, study INTEGER NOT NULL REFERENCES study(id),
        kind TEXT NOT NULL, key TEXT, at {real} NOT NULL, body TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX event_key ON event (study, key)",
    "CREATE TABLE payload (hash TEXT PRIMARY KEY, data {bytes} NOT NULL)",
    """CREATE TABLE answer (
        seq {serial}, study INTEGER NOT NULL REFERENCES study(id),
        key TEXT NOT NULL, question TEXT NOT NULL, answer TEXT)""",
    "CREATE UNIQUE INDEX answer_key ON answer (study, key)",
)

MIGRATIONS: dict[int, tuple[str, ...]] = {}
"""Statements that bring a store of version n to n + 1."""

Execute = Callable[[str], Any]


def create(execute: Execute, types: dict[str, str]) -> None:
    """Make all tables; `types` names the dialect's types for serial, real and bytes."""
    for statement in TABLES:
        execute(statement.format(**types))
    execute(f"INSERT INTO optimand (version) VALUES ({VERSION})")


def version(db: Connection) -> int:
    """The version of the store behind `db`; raises StorageError where this one cannot use it."""
    rows = db.execute("SELECT version FROM optimand")
    found = rows[0][0] if len(rows) == 1 else None
    if not isinstance(found, int) or found < 0:
        raise StorageError(
            f"{db.where}: the store does not say its version, it is damaged. "
            "Restore a copy, or choose another store."
        )
    if found > VERSION:
        raise StorageError(
            f"{db.where} was written by a newer optimand (schema {found}, this one knows "
            f"{VERSION}): upgrade optimand, or use another store."
        )
    return found


def is_current(db: Connection, read_only: bool) -> bool:
    """Whether the store is at this version; raises StorageError where it has to be and is not."""
    found = version(db)
    if found < VERSION and read_only:
        raise StorageError(f"{db.where}: an older store; open it for writing once.")
    return found == VERSION


def migrate(execute: Execute, found: int, where: str) -> None:
    """Bring a store of the older version `found` up to date."""
    for old in range(found, VERSION):
        if old not in MIGRATIONS:
            raise StorageError(
                f"{where}: schema version {found} cannot be brought to {VERSION}. "
                "Read it with the optimand that wrote it, or choose another store."
            )
        for statement in MIGRATIONS[old]:
            execute(statement)
    if found < VERSION:
        execute(f"UPDATE optimand SET version = {VERSION}")
