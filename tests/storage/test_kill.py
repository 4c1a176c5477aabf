"""Killed at any instant, a run resumes to the verdict and the paid calls of a run that was not.

Precisely, with a study that ends by its budget, of every call (what is run on which example):
- the run that was killed and resumed made it if and only if the straight run made it;
- once its result was in the log, no later session made it again;
- so it was made again only if it was in flight at a kill: at most `width` calls for each kill.
A study that ends by its evidence ends in the same verdict; which calls were in flight then, and
need not have been made, depends on timing.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests.storage.kill_study import BUDGET, EXECUTION_SECONDS, RATES, study

import optimand
from optimand.core.errors import StorageError
from optimand.storage import connect

SCRIPT = Path(__file__).with_name("kill_study.py")
NAMES = {optimand.Artifact({"value": name}).id: name for name in RATES}
KINDS = [("race", 8), ("duel", 8), ("race", 1), ("duel", 1)]


def logged(store):
    """The calls whose results are in the log."""
    try:
        opened = connect(store, read_only=True)
    except StorageError:  # killed before it was made
        return set()
    with closing(opened) as place:
        infos = place.studies()
        if not infos:
            return set()
        with closing(place.read(infos[0].name)) as journal:
            bodies = [event.body for event in journal.events(("rollout", "comparison"))]
    return {
        f"{NAMES[b['candidate']]} {b['example']}"
        if "candidate" in b
        else " ".join([*sorted([NAMES[b["a"]], NAMES[b["b"]]]), b["example"]])
        for b in bodies
    }


def killed(command, calls, rng, longest):
    """Kill some time after the first call, or while starting; the output if it ended before."""
    size = calls.stat().st_size if calls.exists() else 0
    early = time.monotonic() + (rng.random() if rng.random() < 0.2 else 600.0)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None and time.monotonic() < early:
            if calls.exists() and calls.stat().st_size > size:
                break
            time.sleep(0.001)
        try:
            return process.communicate(timeout=longest * rng.random())[0]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None


def check(kind, width, store, folder, kills):
    paid = Counter()
    straight = study(kind, width, "memory:", lambda call: paid.update([call]))
    assert set(paid.values()) == {1}
    ends_by_budget = straight.reason == "budget"
    assert ends_by_budget != straight.decided
    calls, rng = folder / "calls", random.Random(kills)
    command = [sys.executable, str(SCRIPT), kind, str(width), store, str(calls)]
    longest = 2 * EXECUTION_SECONDS * len(paid) / width / (kills + 1)
    known, done, output = set(), 0, None
    while output is None:
        limit = longest if done < kills else 600.0
        before = calls.read_text().splitlines() if calls.exists() else []
        output = killed(command, calls, rng, limit)
        done += output is None
        made = calls.read_text().splitlines()
        assert not known & set(made[len(before) :]), "a call was repeated that was in the log"
        known = logged(store)
    assert json.loads(output) == json.loads(json.dumps(straight.verdict.to_json()))
    assert len(made) - len(set(made)) <= width * done
    if ends_by_budget:
        assert set(made) == set(paid)
        assert len(paid) == BUDGET == straight.verdict.used
    return done, len(made) - len(set(made))


@pytest.mark.parametrize(("kind", "width"), [*KINDS[:3], ("duel clear", 8)])
def test_a_few_kills(kind, width, tmp_path):
    done, _ = check(kind, width, str(tmp_path / "s.db"), tmp_path, kills=2)
    assert done >= 1


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "width"), [*KINDS, ("race clear", 8), ("duel clear", 8)])
def test_twenty_kills(kind, width, tmp_path, record_property):
    done, again = check(kind, width, str(tmp_path / "s.db"), tmp_path, kills=20)
    record_property("kills", done)
    record_property("calls made again", again)
    print(f"{kind}, width {width}: {done} kills, {again} calls made again")
    assert done >= 10


@pytest.mark.slow
def test_kills_on_postgres(postgres, tmp_path):
    done, again = check("race", 8, postgres.new(), tmp_path, kills=8)
    print(f"PostgreSQL: {done} kills, {again} calls made again")
    assert done >= 4
