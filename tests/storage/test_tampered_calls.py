"""Calls of other candidates than their keys say, and altered schemas: told, not raised."""

import contextlib
import json
import sqlite3
from contextlib import closing

import pytest
from tests.storage.test_tampered import read_all, run

import optimand
from optimand.core.errors import StorageError
from optimand.storage.sqlite import SqliteStore


def duel(store, comparisons):
    task = optimand.DuelTask(lambda a, b, example, seed: float(seed % 2))
    budget = optimand.Budget(comparisons=comparisons)
    return optimand.pick(["a", "b", "c"], task, store=store, budget=budget)


@pytest.mark.parametrize(
    ("go", "kind", "change"),
    [
        (duel, "comparison", {"a": "zzz"}),
        (duel, "comparison", {"b": "zzz"}),
        (duel, "comparison", {"a": "same", "b": "same"}),
        (run, "rollout", {"candidate": "zzz"}),
        (run, "rollout", {"candidate": ""}),
    ],
)
def test_a_call_of_candidates_that_its_key_does_not_name(tmp_path, go, kind, change):
    path = str(tmp_path / "s.db")
    go(path, 8)
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT seq, body FROM event WHERE kind = ?", (kind,)).fetchall()
        for seq, body in rows:
            text = json.dumps(json.loads(body) | change)
            db.execute("UPDATE event SET body = ? WHERE seq = ?", (text, seq))
        db.commit()
    with pytest.raises(StorageError, match=r"event \d+ of study .*damaged\. Restore a copy"):
        go(path, 12)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"TABLE answer (", b"TABLE \xffnswer ("),
        (b"TABLE event (", b"TABLE \xffvent ("),
        (b"INTEGER PRIMARY KEY, name", b"INTEGER PRIMARY BEY, name"),
        (b"id INTEGER PRIMARY KEY", b"id INTEGER /*IMARY KE*/"),
    ],
)
def test_an_altered_schema(tmp_path, old, new):
    path = tmp_path / "s.db"
    run(str(path), 8)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        select = "SELECT rowid, sql FROM sqlite_master WHERE sql IS NOT NULL"
        found = [(rowid, text.encode()) for rowid, text in db.execute(select)]
        changed = [(rowid, text.replace(old, new)) for rowid, text in found if old in text]
        assert changed
        for rowid, text in changed:
            db.execute(
                "UPDATE sqlite_master SET sql = CAST(? AS TEXT) WHERE rowid = ?", (text, rowid)
            )
        db.commit()
    with contextlib.suppress(StorageError):
        read_all(path)
    with contextlib.suppress(StorageError):
        run(str(path), 12)


def test_a_table_whose_name_is_no_text(tmp_path):
    path = tmp_path / "s.db"
    run(str(path), 8)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET name = CAST(X'FF66' AS TEXT) WHERE name = 'answer'")
        db.commit()
    with pytest.raises(StorageError, match=r"s\.db.*damaged"):
        SqliteStore(path)
