"""A disk that fills up ends the run with an error; with space again it resumes and lost nothing."""

import random
import re
import subprocess
from collections import Counter
from contextlib import closing

import pytest

import optimand
from optimand.core.errors import Stopped, StorageError
from optimand.storage.sqlite import SqliteStore
from optimand.strategies.pick.race import ScoreRace

RATES = {"a": 0.55, "b": 0.5, "c": 0.45}
STEPS = 900
CALLS = Counter()  # not in a closure: what a function carries along is part of what it is


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"a small disk needs the right to mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


class Watched:
    """A race that notes what it has seen."""

    name, ordered = "race", True

    def __init__(self):
        self.seen = Counter()

    def __call__(self, run):
        steps = ScoreRace(0.001)(run)
        give, value = steps.send, None
        while True:
            try:
                action = give(value)
            except StopIteration as end:
                return end.value
            try:
                give, value = steps.send, (yield action)
            except Stopped as stop:
                give, value = steps.throw, stop
            if give == steps.send and value is not None:
                self.seen.update((r.candidate, r.example) for r in value.records)


def run(store, width):
    def score(value, example, seed):
        CALLS[value, example.id] += 1
        won = random.Random(f"{value}{seed}").random() < RATES[value]
        return {"score": float(won), "output": f"{seed} {value} " * 20}

    watched = Watched()
    task = optimand.FunctionTask(score, width=width)
    budget = optimand.Budget(rollouts=STEPS)
    arguments = {"store": store, "strategy": watched, "budget": budget}
    try:
        return watched, optimand.pick(list(RATES), task, **arguments).verdict
    except StorageError as error:
        return watched, error


@pytest.mark.parametrize("width", [1, 8])
def test_a_run_on_a_full_disk(small_disk, width):
    store = small_disk / "s.db"
    CALLS.clear()
    first, error = run(store, width)
    assert isinstance(error, StorageError)
    assert f"{store}" in str(error)
    assert "free some space and run the same command again; what was committed is kept" in str(
        error
    )
    lost = re.search(r"(\d+) results? that (was|were) paid for could not be saved", str(error))
    assert 1 <= int(lost[1]) <= 4 * width
    assert "nothing paid is lost" not in str(error)
    assert sum(first.seen.values()) > 30
    subprocess.run(["mount", "-o", "remount,size=32m", str(small_disk)], check=True)
    before = CALLS.copy()
    second, verdict = run(store, width)
    after = CALLS.copy()
    names = {optimand.Artifact({"value": name}).id: name for name in RATES}
    seen = {(names[c], example) for c, example in first.seen}
    assert all(after[pair] == 1 for pair in seen)  # none that was seen is paid again
    assert second.seen.keys() >= first.seen.keys()
    repeated = {pair for pair in before if after[pair] > 1}
    assert len(repeated) <= 4 * width + len(RATES)  # those in flight
    straight, expected = run("memory:", width)
    assert verdict == expected
    assert second.seen == straight.seen


def test_a_disk_that_is_full_from_the_start(small_disk):
    (small_disk / "other").write_bytes(b"x" * 2_090_000)
    with pytest.raises(StorageError, match="disk is full"):
        SqliteStore(small_disk / "s.db")
    (small_disk / "other").unlink()
    with closing(SqliteStore(small_disk / "s.db")) as store:
        assert store.studies() == []
