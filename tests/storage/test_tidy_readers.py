"""Reading leaves nothing beside a store, and takes nothing away from those who use it."""

import os
import subprocess
import sys
from contextlib import closing

import pytest

from optimand.core.store import Event
from optimand.storage.connect import connect
from optimand.storage.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with closing(SqliteStore(folder / "s.db")) as store, closing(store.write("study", {})) as log:
        log.append([Event("x", {"n": n}, f"k{n}") for n in range(3)])
    return folder / "s.db"


def beside(path):
    return sorted(p.name for p in path.parent.iterdir() if not p.name.endswith(".lock"))


def read(path):
    with closing(connect(path, read_only=True)) as store, closing(store.read("study")) as journal:
        return [event.body["n"] for event in journal.events()]


def test_a_reader_leaves_no_files(path):
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert beside(path) == ["s.db"]
    assert read(path) == [0, 1, 2]
    assert beside(path) == ["s.db"]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_two_readers_leave_no_files(path):
    with closing(connect(path, read_only=True)) as first:
        assert read(path) == [0, 1, 2]
        assert first.studies()
    assert beside(path) == ["s.db"]


def test_a_reader_leaves_a_writer_its_files(path):
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as log:
        log.append([Event("x", {"n": 3}, "k3")])
        files = {p: p.stat().st_ino for p in path.parent.iterdir()}
        assert path.with_name("s.db-wal") in files
        assert read(path) == [0, 1, 2, 3]
        assert {p: p.stat().st_ino for p in path.parent.iterdir()} == files
        log.append([Event("x", {"n": 4}, "k4")])
    assert read(path) == [0, 1, 2, 3, 4]


def test_a_writer_that_has_written_nothing_keeps_its_files(path):
    with closing(SqliteStore(path)) as store:
        store.studies()
        files = {p: p.stat().st_ino for p in path.parent.iterdir()}
        read(path)
        assert {p: p.stat().st_ino for p in path.parent.iterdir()} == files
        with closing(store.write("study", {})) as log:
            log.append([Event("x", {"n": 3}, "k3")])
    assert read(path) == [0, 1, 2, 3]


DIE = """
import os, sys
from optimand.core.store import Event
from optimand.storage.sqlite import SqliteStore
log = SqliteStore(sys.argv[1]).write("study", {})
log.append([Event("x", {"n": 3}, "k3")])
os._exit(9)
"""


def test_what_a_killed_writer_left_is_read_and_left_as_it_is(path):
    subprocess.run([sys.executable, "-c", DIE, str(path)], check=False)
    log = path.with_name("s.db-wal")
    before = path.read_bytes(), log.read_bytes()
    assert log.stat().st_size
    assert read(path) == [0, 1, 2, 3]
    assert (path.read_bytes(), log.read_bytes()) == before


def test_a_file_that_may_not_be_written(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert read(path) == [0, 1, 2]
    assert path.exists()


def test_a_store_that_was_replaced_meanwhile_is_not_touched(path):
    store = connect(path, read_only=True)
    path.unlink()
    path.write_text("something else")
    store.close()
    assert path.read_text() == "something else"
