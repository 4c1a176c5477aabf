"""The append-only schema, one text for SQLite and PostgreSQL, with its version and migrations.

study   one row per study: its name, settings and when it was made
event   the log; `key` is the content key of a cached call, unique per study where it is set
payload texts too long for the log's lines, stored once under the hash of their content
answer  what people answered to a judge's questions, written by other processes than the run's
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optimand.core.errors import StorageError

__all__ = ["VERSION", "create", "migrate"]

VERSION = 1

TABLES = (
    "CREATE TABLE optimand (version INTEGER NOT NULL)",
    """CREATE TABLE study (
        id {serial}, name TEXT NOT NULL UNIQUE, created TEXT NOT NULL, settings TEXT NOT NULL)""",
    """CREATE TABLE event (
        seq {serial}, study INTEGER NOT NULL REFERENCES study(id),
        kind TEXT NOT NULL, key TEXT, at {real} NOT NULL, body TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX event_key ON event (study, key)",
    "CREATE INDEX event_kind ON event (study, kind)",
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


def migrate(execute: Execute, found: int, where: str) -> None:
    """Bring a store of an older version up to date; raises StorageError for a newer one."""
    if found > VERSION:
        raise StorageError(
            f"{where} was written by a newer optimand (schema {found}, this one knows {VERSION}): "
            "upgrade optimand, or use another store"
        )
    for version in range(found, VERSION):
        if version not in MIGRATIONS:
            raise StorageError(f"{where}: schema version {found} cannot be migrated")
        for statement in MIGRATIONS[version]:
            execute(statement)
    if found < VERSION:
        execute(f"UPDATE optimand SET version = {VERSION}")
