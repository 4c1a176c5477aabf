"""SQLite files that cannot be used: what, where, and the way out."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

import optimand.storage
from optimand.core.errors import StorageError, StudyBusy
from optimand.core.store import Event
from optimand.storage.sqlite import SqliteStore


def filled(path, events=400):
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as journal:
        journal.append([Event("x", {"n": n, "text": "y" * 500}, f"k{n}") for n in range(events)])


def refused(path, words, **options):
    with pytest.raises(StorageError, match=words) as caught:
        SqliteStore(path, **options)
    assert str(path) in str(caught.value)


def test_a_damaged_file(tmp_path):
    path = tmp_path / "s.db"
    filled(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(200_000))
    with pytest.raises(StorageError, match=r"s\.db.*malformed.*\.recover.*choose another store"):
        list(SqliteStore(path).read("study").events())


def changed(path, statement, *values):
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement, values)
        db.commit()


def test_a_file_cut_short(tmp_path):
    path = tmp_path / "s.db"
    filled(path)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(StorageError, match=r"s\.db.*malformed.*Restore a copy"):
        list(SqliteStore(path).read("study").events())


@pytest.mark.parametrize("damage", ["{", '{"a": {"$payload": "00"}}', "[1]"])
def test_a_damaged_event(tmp_path, damage):
    path = tmp_path / "s.db"
    filled(path, 3)
    changed(path, "UPDATE event SET body = ? WHERE seq = 2", damage)
    with closing(SqliteStore(path)) as store, closing(store.read("study")) as journal:
        with pytest.raises(StorageError, match=r"event 2 of study 'study'.*damaged.*another store"):
            list(journal.events())
        assert journal.find("k0").body["n"] == 0


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, just a text that is long enough to have a header " * 9)
    refused(path, "not an optimand store; choose another path")
    refused(path, "not an optimand store", read_only=True)
    assert path.read_text().startswith("not a database")


def test_a_folder(tmp_path):
    refused(tmp_path, "it must be a file")


def test_a_database_of_another_program_is_left_as_it_is(tmp_path):
    path = tmp_path / "browser.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE history (url TEXT)")
    before = path.read_bytes()
    refused(path, "another program; choose another path")
    assert path.read_bytes() == before
    assert not path.with_name("browser.db-wal").exists()


@pytest.mark.parametrize(
    ("version", "writing", "reading"),
    [
        (99, "newer optimand .schema 99.*: upgrade optimand", "newer optimand"),
        (0, "schema version 0 cannot be brought to 1", "open it for writing once"),
    ],
)
def test_another_schema(tmp_path, version, writing, reading):
    path = tmp_path / "s.db"
    filled(path, 1)
    changed(path, f"UPDATE optimand SET version = {version}")
    refused(path, writing)
    refused(path, reading, read_only=True)


def test_migration_goes_step_by_step_and_all_or_nothing(tmp_path, monkeypatch):
    from optimand.storage import schema

    path = tmp_path / "s.db"
    filled(path, 1)
    monkeypatch.setattr(schema, "VERSION", 3)
    steps = {1: ("CREATE TABLE extra (x INTEGER)",), 2: ("not SQL",)}
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    refused(path, "syntax error")
    steps[2] = ("INSERT INTO extra VALUES (7)",)
    with closing(SqliteStore(path)):
        pass
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT x, version FROM extra, optimand").fetchall() == [(7, 3)]


def test_a_store_without_its_version(tmp_path):
    path = tmp_path / "s.db"
    filled(path, 1)
    changed(path, "DELETE FROM optimand")
    refused(path, "does not say its version")


def test_missing_files_and_folders(tmp_path):
    refused(tmp_path / "s.db", "no such store.*makes one", read_only=True)
    with pytest.raises(StorageError, match="absent: no such folder; make it first"):
        SqliteStore(tmp_path / "absent" / "s.db")
    (tmp_path / "empty.db").touch()
    refused(tmp_path / "empty.db", "an empty file, not a store", read_only=True)


@pytest.fixture
def sealed(tmp_path):
    """Makes a folder read-only, for root too, until the test ends."""
    mounted = []

    def seal(folder):
        for options in (["--bind", folder, folder], ["-o", "remount,ro,bind", folder]):
            done = subprocess.run(["mount", *map(str, options)], capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"a read-only mount needs the right to mount: {done.stderr.strip()}")
            mounted.append(folder)

    yield seal
    for folder in mounted[:1]:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_folder(tmp_path, sealed):
    folder = tmp_path / "archive"
    folder.mkdir()
    filled(folder / "s.db")
    sealed(folder)
    refused(folder / "new.db", "a folder that you may write to")
    refused(folder / "s.db", "a folder that you may write to.*read_only")
    with (
        closing(SqliteStore(folder / "s.db", read_only=True)) as store,
        closing(store.read("study")) as journal,
    ):
        assert len(list(journal.events())) == 400


def test_a_read_only_folder_with_events_that_were_not_merged(tmp_path, sealed):
    folder = tmp_path / "archive"
    folder.mkdir()
    store = SqliteStore(tmp_path / "s.db")
    journal = store.write("study", {})
    journal.append([Event("x", {"n": 1})])
    for name in ("s.db", "s.db-wal"):
        shutil.copy(tmp_path / name, folder / name)
    journal.close()
    store.close()
    sealed(folder)
    refused(folder / "s.db", "copy both files", read_only=True)


def test_reading_makes_no_store_writable(tmp_path):
    filled(tmp_path / "s.db", 1)
    with closing(SqliteStore(tmp_path / "s.db", read_only=True)) as store:
        with pytest.raises(StorageError, match="opened for reading only"):
            store.write("other", {})
        assert [i.name for i in store.studies()] == ["study"]


OPEN = """
import sys
from optimand.storage.sqlite import SqliteStore
for number in range(20):
    store = SqliteStore(sys.argv[1])
    store.write(f"{sys.argv[2]}", {}).close()
    store.close()
"""


def test_many_processes_may_make_the_store_at_once(tmp_path):
    command = [sys.executable, "-c", OPEN, str(tmp_path / "s.db")]
    running = [
        subprocess.Popen([*command, str(n)], stderr=subprocess.PIPE, text=True) for n in range(5)
    ]
    assert [process.communicate()[1] for process in running] == [""] * 5
    with closing(SqliteStore(tmp_path / "s.db")) as store:
        assert sorted(i.name for i in store.studies()) == list("01234")


WRITE = """
import sys, time, optimand
def score(value, example, seed):
    print(example.id, flush=True)
    time.sleep(0.05)
    return float(value == "a")
optimand.pick(["a", "b"], optimand.FunctionTask(score), store=sys.argv[1], confidence=0.999)
"""


def test_two_processes_on_one_study(tmp_path):
    path = str(tmp_path / "s.db")
    command = [sys.executable, "-c", WRITE, path]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline()
        assert first.stdout.readline()
        with closing(SqliteStore(path)) as store:
            (info,) = store.studies()
            with pytest.raises(StudyBusy) as caught:
                store.write(info.name, {})
            assert f"process {first.pid}" in str(caught.value)
            with closing(SqliteStore(path, read_only=True)) as reader:
                assert list(reader.read(info.name).events())
        second = subprocess.run(command, capture_output=True, text=True)
        assert second.returncode != 0
        assert "StudyBusy" in second.stderr
        assert second.stdout == ""  # nothing was paid for
    finally:
        first.kill()
        first.communicate()


def test_the_way_to_read_that_the_refusal_names_works(tmp_path):
    path = str(tmp_path / "s.db")
    with closing(SqliteStore(path)) as store, closing(store.write("a study", {})) as journal:
        journal.append([Event("x", {"n": 1})])
        with pytest.raises(StudyBusy) as caught:
            store.write("a study", {})
        shell, python = re.search(r"meanwhile: `(.*)`, or (.*)$", str(caught.value)).groups()
        with closing(eval(python, {"optimand": optimand})) as reader:
            assert [e.body for e in reader.events()] == [{"n": 1}]
        words = shlex.split(shell)
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "a study" in done.stdout
