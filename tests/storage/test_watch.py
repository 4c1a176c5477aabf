"""A store that is removed or replaced while a run writes to it ends the run, and saves its work."""

import re
import shutil
from contextlib import closing

import pytest

import optimand
from optimand.core.errors import StorageError
from optimand.core.store import Event
from optimand.storage.sqlite import SqliteStore


def remove(path):
    path.unlink()


def remove_all(path):
    for name in (path, path.with_name("s.db-wal"), path.with_name("s.db-shm")):
        name.unlink()


def remove_log(path):
    path.with_name("s.db-wal").unlink()


def replace_by_garbage(path):
    path.rename(path.with_name("old.db"))
    path.write_bytes(b"garbage" * 100)


def replace_by_a_store(path):
    SqliteStore(path.with_name("other.db")).close()
    path.with_name("other.db").replace(path)


def move_away(path):
    path.rename(path.with_name("moved.db"))


def replace_log(path):
    log = path.with_name("s.db-wal")
    shutil.copy(log, path.with_name("copy"))
    path.with_name("copy").replace(log)


HARM = [
    *(remove, remove_all, remove_log, replace_by_garbage, replace_by_a_store, move_away),
    replace_log,
]
CALLS = []
NOW = []


def score(value, example, seed):
    CALLS.append((value, example.id))
    if len(CALLS) == 100:
        for harm in NOW:
            harm()
    return seed % 2


def run(store, width):
    task = optimand.FunctionTask(score, width=width)
    budget = optimand.Budget(rollouts=200)
    return optimand.pick(["a", "b"], task, store=store, budget=budget)


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize("harm", HARM)
def test_a_run_ends_at_once_and_goes_on_with_what_was_saved(tmp_path, harm, width):
    path = tmp_path / "s.db"
    CALLS.clear()
    NOW[:] = [lambda: harm(path)]
    with pytest.raises(StorageError, match="removed or replaced while this run wrote") as caught:
        run(path, width)
    NOW.clear()
    assert 100 <= len(CALLS) <= 100 + 4 * width
    assert str(path) in str(caught.value)
    saved = re.search(r"saved in (\S+\.db): ", str(caught.value))[1]
    result = run(saved, width)
    again = len(CALLS) - len(set(CALLS))
    assert again <= 4 * width  # what was in flight
    assert len(set(CALLS)) == 200
    assert result.verdict == run("memory:", width).verdict


def test_the_last_write_is_looked_at_too(tmp_path):
    path = tmp_path / "s.db"
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as journal:
        path.unlink()
        with pytest.raises(StorageError, match=r"saved in .*s\.saved-1\.db"):
            journal.append([Event("verdict", {"decided": True, "best": None, "reason": "x"})])
    with closing(SqliteStore(tmp_path / "s.saved-1.db")) as store:
        assert [e.kind for e in store.read("study").events()] == ["verdict"]


def test_what_is_there_is_never_overwritten(tmp_path):
    path = tmp_path / "s.db"
    (tmp_path / "s.saved-1.db").write_text("mine")
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as journal:
        path.unlink()
        with pytest.raises(StorageError, match=r"s\.saved-2\.db"):
            journal.append([Event("x", {})])
    assert (tmp_path / "s.saved-1.db").read_text() == "mine"


def test_where_nothing_can_be_saved(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with (
        closing(SqliteStore(folder / "s.db")) as store,
        closing(store.write("study", {})) as journal,
    ):
        shutil.rmtree(folder)
        with pytest.raises(StorageError, match=r"could not be saved\. Restore a copy"):
            journal.append([Event("x", {})])


def test_the_files_of_others_do_not_matter(tmp_path):
    """Other processes that open and close the store leave its files as they are."""
    path = tmp_path / "s.db"
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as journal:
        for number in range(5):
            journal.append([Event("x", {"n": number})])
            with closing(SqliteStore(path)) as other, closing(other.write(f"{number}", {})) as more:
                more.append([Event("x", {})])
        assert len(list(journal.events())) == 5


@pytest.mark.parametrize("reach", ["write", "read", "desk"])
def test_a_store_that_was_replaced_between_two_studies(tmp_path, reach):
    path = tmp_path / "s.db"
    with closing(SqliteStore(path)) as store:
        store.write("study", {}).close()
        replace_by_a_store(path)
        with pytest.raises(StorageError, match=r"after this store was opened\. Open it anew"):
            getattr(store, reach)("study", *([{}] if reach == "write" else []))
