"""One file is one store, whatever name it is reached by; names that cannot be are refused."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from optimand.core.errors import InputError, OptimandError, StorageError, StudyBusy
from optimand.core.store import Event
from optimand.storage import connect
from optimand.storage.locks import StudyLock
from optimand.storage.sqlite import SqliteStore


@contextmanager
def writing(path, study="study"):
    with closing(SqliteStore(path)) as store, closing(store.write(study, {})) as journal:
        yield journal


def by_link(path, folder):
    link = folder / "link.db"
    link.symlink_to(path)
    return link


def by_chain_of_links(path, folder):
    (folder / "middle.db").symlink_to(os.path.relpath(path, folder))
    (folder / "elsewhere").mkdir()
    link = folder / "elsewhere" / "link.db"
    link.symlink_to("../middle.db")
    return link


def by_linked_folder(path, folder):
    (folder / "linked").symlink_to(path.parent)
    return folder / "linked" / path.name


def by_detour(path, folder):
    return f"{folder}/../{folder.name}/{path.parent.name}//./{path.name}"


def by_two_slashes(path, folder):
    return f"/{path}"


WAYS = [by_link, by_chain_of_links, by_linked_folder, by_detour, by_two_slashes]


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_file_under_another_name_has_the_same_writer(tmp_path, way, new):
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "s.db"
    if not new:
        SqliteStore(path).close()
    other = way(path, tmp_path)
    with writing(other) as journal:
        journal.append([Event("x", {"n": 1}, "k")])
        with closing(SqliteStore(path)) as store:
            with pytest.raises(StudyBusy, match=f"process {os.getpid()}"):
                store.write("study", {})
            assert store.read("study").find("k").body == {"n": 1}
    with writing(path), pytest.raises(StudyBusy), writing(other):
        pass


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    with closing(SqliteStore("s.db")) as store:
        monkeypatch.chdir(tmp_path / "sub")
        with closing(store.write("study", {})) as journal:
            journal.append([Event("x", {})])
        with closing(store.read("study")) as reader:
            assert len(list(reader.events())) == 1
    assert not list((tmp_path / "sub").iterdir())


def test_hard_links_are_refused_for_writing(tmp_path):
    SqliteStore(tmp_path / "s.db").close()
    os.link(tmp_path / "s.db", tmp_path / "other.db")
    for name in ("s.db", "other.db"):
        with pytest.raises(StorageError, match=rf"{name}: this file has 2 names .hard links"):
            SqliteStore(tmp_path / name)
        SqliteStore(tmp_path / name, read_only=True).close()
    (tmp_path / "other.db").unlink()
    SqliteStore(tmp_path / "s.db").close()


@pytest.fixture
def bind():
    mounted = []

    def mount(what, where):
        done = subprocess.run(["mount", "--bind", what, where], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"needs the right to mount: {done.stderr.strip()}")
        mounted.append(where)

    yield mount
    for where in mounted:
        subprocess.run(["umount", "--lazy", where], check=True)  # a failed test may hold it


def test_a_file_mounted_alone_is_refused_for_writing(tmp_path, bind):
    SqliteStore(tmp_path / "s.db").close()
    (tmp_path / "a folder").mkdir()
    other = tmp_path / "a folder" / "s.db"
    other.touch()
    bind(tmp_path / "s.db", other)
    with pytest.raises(StorageError, match=r"this single file is mounted here.*Mount its folder"):
        SqliteStore(other)


def test_a_mounted_folder_has_the_same_writer(tmp_path, bind):
    for name in ("real", "mounted"):
        (tmp_path / name).mkdir()
    bind(tmp_path / "real", tmp_path / "mounted")
    with (
        writing(tmp_path / "real" / "s.db"),
        pytest.raises(StudyBusy),
        writing(tmp_path / "mounted" / "s.db"),
    ):
        pass


@pytest.mark.parametrize(
    "name",
    [
        "a?mode=ro#x%20.db",
        "%41.db",
        "a b'\"\\;.db",
        b"caf\xe9 \xff.db",
        "ü漢.db",
        "x" * 237 + ".db",
    ],
)
def test_strange_file_names(tmp_path, name):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + os.fsencode(name)))
    with writing(path) as journal:
        journal.append([Event("x", {"n": 1})])
        assert path.is_file()
        with closing(connect(path, read_only=True)) as store:
            assert len(list(store.read("study").events())) == 1
            assert store.url.encode()
        with closing(SqliteStore(path)) as store, pytest.raises(StudyBusy) as caught:
            store.write("study", {})
        assert str(caught.value).encode()  # can be printed


def test_a_url_with_too_many_slashes(tmp_path):
    for where in (f"/{tmp_path}/s.db", f"//{tmp_path}/s.db", f"sqlite:////{tmp_path}/s.db"):
        connect(where).close()
    assert [p.name for p in tmp_path.iterdir()] == ["s.db"]


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("x" * 300, StorageError, "too long for a store. Its name may have 240 bytes"),
        ("x" * 241, StorageError, "too long for a store"),
        ("/".join(["y" * 100] * 6), StorageError, "the whole path 500"),
        ("a\0b", InputError, "no file can have"),
        ("a\ud800b", InputError, "no file can have this name"),
        ("loop/s.db", StorageError, r"s\.db: Too many levels.*choose another path"),
        ("file/s.db", StorageError, r"s\.db: Not a directory"),
        ("dangling", StorageError, "nowhere: no such folder; make it first"),
        ("pipe", StorageError, "it must be a file"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_names_that_cannot_be_a_store(tmp_path, name, error, words, read_only):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere/s.db")
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(error, match=words) as caught:
        SqliteStore(f"{tmp_path}/{name}", read_only=read_only)
    assert isinstance(caught.value, OptimandError)
    assert str(caught.value).encode()


def test_the_longest_path_works(tmp_path):
    folder = tmp_path
    while len(str(folder)) < 380:
        folder = folder / ("y" * 100)
    folder.mkdir(parents=True)
    path = folder / ("x" * (500 - len(str(folder)) - 1))
    if len(path.name) > 240:
        path = path.with_name("x" * 240)
    with writing(path) as journal:
        journal.append([Event("x", {})])


def test_a_lock_file_that_was_removed_is_made_anew(tmp_path):
    path = tmp_path / "s.db"
    with writing(path) as journal:
        (lock,) = tmp_path.glob("*.lock")
        lock.unlink()
        journal.append([Event("x", {})])
        journal.append([Event("x", {})])  # every other commit looks
        with pytest.raises(StudyBusy), writing(path):
            pass
    with writing(path):
        pass


def test_a_removed_lock_that_another_took_ends_the_first(tmp_path):
    path = tmp_path / "s.db"
    with writing(path) as journal:
        (lock,) = tmp_path.glob("*.lock")
        journal.append([Event("x", {})])
        lock.unlink()
        with writing(path), pytest.raises(StudyBusy):
            journal.append([Event("x", {})])


HOLDER = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, 2); print(flush=True); input()"


def test_a_holder_that_has_ended_is_called_so(tmp_path):
    path = tmp_path / "s.db"
    SqliteStore(path).close()
    lock = StudyLock(path, "study", "s.db")
    lock.release()
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1)
    lock.file.write_bytes(gone.stdout)
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, lock.file], stdin=-1, stdout=-1)
    try:
        holder.stdout.readline()
        words = rf"process {int(gone.stdout)}, which has ended here: .*`fuser \S+\.lock` names it"
        with pytest.raises(StudyBusy, match=words), writing(path):
            pass
    finally:
        holder.communicate(b"\n")


def test_sqlite_keeps_its_files_beside_the_real_one(tmp_path):
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "s.db"
    link = by_link(path, tmp_path)
    with writing(link) as journal:
        journal.append([Event("x", {})])
        assert {p.name for p in tmp_path.iterdir()} == {"real", "link.db"}
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM event").fetchone() == (1,)
