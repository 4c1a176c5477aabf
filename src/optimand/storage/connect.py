"""From what a user wrote to a store."""

from __future__ import annotations

from pathlib import Path

from optimand.core.errors import InputError
from optimand.core.store import Store
from optimand.core.usercode import shown

__all__ = ["connect"]

_SQLITE = "sqlite:///"


def connect(where: str | Path, *, read_only: bool = False) -> Store:
    """The store at a path or URL.

    A path or sqlite:///path (four slashes for an absolute one) is an SQLite file, made when it is
    new; postgresql://user@host/database is PostgreSQL; "memory:" lives as long as the process.
    With `read_only` nothing is made or changed. Raises InputError for another kind of URL,
    SetupError where an extra is missing, StorageError where the store cannot be opened.
    """
    text = str(where)
    if text == "memory:":
        from optimand.storage.memory import MemoryStore

        return MemoryStore()
    if text.startswith(("postgresql://", "postgres://")):
        from optimand.storage.postgres import PostgresStore

        return PostgresStore(text, read_only=read_only)
    path = text.removeprefix(_SQLITE)
    if "://" in path or not path:
        kind = text.partition("://")[0] if path else text  # the rest may hold a password
        raise InputError(
            f"store {shown(kind)}: no such kind. Write a path, sqlite:///path, "
            "postgresql://user@host/database, or memory:."
        )
    from optimand.storage.sqlite import SqliteStore

    return SqliteStore(path, read_only=read_only)
