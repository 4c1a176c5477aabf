"""A process that the user's code forks has no share in the run's locks and connections."""

import gc
import os
import signal
import subprocess
import sys
from contextlib import closing

import pytest

from optimand.core.errors import StorageError
from optimand.core.store import Event
from optimand.storage import connect, forks

RUN = """
import os, sys, time
from optimand.core.store import Event
from optimand.storage import connect
store = connect(sys.argv[1])
journal = store.write("study", {})
journal.append([Event("x", {"n": 1}, "k")])
child = os.fork()
if child == 0:
    os.setsid()
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "s.db")
    return request.getfixturevalue("postgres").new()


def test_a_killed_run_frees_its_study_though_its_child_lives_on(where):
    process = subprocess.Popen([sys.executable, "-c", RUN, where], stdout=subprocess.PIPE)
    child = int(process.stdout.readline())
    try:
        process.kill()
        process.communicate()
        os.kill(child, 0)  # lives
        with closing(connect(where)) as store, closing(store.write("study", {})) as journal:
            assert [e.body for e in journal.events()] == [{"n": 1}]
    finally:
        os.kill(child, signal.SIGKILL)


def in_child(work):
    """What `work` raised in a forked child, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            said = "nothing"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading, "rb") as file:
        return file.read().decode()


def test_a_child_can_neither_write_nor_disturb(where):
    with closing(connect(where)) as store, closing(store.write("study", {})) as journal:
        journal.append([Event("x", {"n": 1})])
        words = "StorageError: .*opened by the process that this one was forked from"
        for work in (
            lambda: journal.append([Event("x", {"n": 2})]),
            lambda: list(journal.events()),
            lambda: store.write("other", {}),
            store.studies,
        ):
            with pytest.raises(StorageError, match=words):
                raise StorageError(in_child(work))
        assert in_child(journal.close) == in_child(store.close) == "nothing"
        assert in_child(gc.collect) == "nothing"
        journal.append([Event("x", {"n": 3})])
        assert [e.body["n"] for e in journal.events()] == [1, 3]
        with closing(connect(where)) as second, pytest.raises(StorageError, match="being written"):
            second.write("study", {})


def test_a_child_opens_the_store_anew(where):
    with closing(connect(where)) as store, closing(store.write("study", {})):

        def work():
            with closing(connect(where)) as own, closing(own.write("of the child", {})) as journal:
                journal.append([Event("x", {"n": 2})])

        assert in_child(work) == "nothing"
        with closing(store.read("of the child")) as reader:
            assert [e.body for e in reader.events()] == [{"n": 2}]


def test_nothing_is_remembered_of_what_was_closed(tmp_path):
    gc.collect()
    before = len(forks._HELD)
    for _ in range(20):
        with closing(connect(tmp_path / "s.db")) as store:
            store.write("study", {}).close()
    del store
    gc.collect()
    assert len(forks._HELD) == before


def test_handles_do_not_leak(tmp_path):
    def once():
        with closing(connect(tmp_path / "s.db")) as store:
            with closing(store.write("study", {})) as journal:
                journal.append([Event("x", {})])
            with closing(store.read("study")) as reader:
                list(reader.events())

    once()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        once()
    assert len(os.listdir("/proc/self/fd")) == before
