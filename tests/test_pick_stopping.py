"""Ctrl-C: heard in the middle of anything, with what was paid kept."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing

import pytest

import optimand
from optimand.storage.memory import MemoryStore


class Interrupting:
    """A score that presses Ctrl-C at its fifth call."""

    def __init__(self):
        self.calls, self._lock = 0, threading.Lock()

    def fingerprint(self):
        return "interrupting"

    def __call__(self, value, example, seed):
        with self._lock:
            self.calls += 1
            number = self.calls
        time.sleep(0.005)
        if number == 5:
            os.kill(os.getpid(), signal.SIGINT)
        if number > 500:
            raise AssertionError("the interrupt was not heard")
        return 0.5


@pytest.fixture(autouse=True)
def _control_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def check(result, score, store):
    assert result.reason == "interrupted"
    assert 5 <= score.calls < 500
    journal = store.read(result.study)
    paid = sum(event.kind == "rollout" for event in journal.events())
    assert paid == score.calls
    assert [event.kind for event in journal.events()][-1] == "verdict"


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("candidates", [["a", "b"], list("abcdefgh")])
def test_control_c_with_a_sync_function(width, candidates):
    score, store = Interrupting(), MemoryStore()
    task = optimand.FunctionTask(score, width=width)
    check(optimand.pick(candidates, task, store=store), score, store)


def run_plainly(coroutine):
    """As a notebook does: Ctrl-C is a KeyboardInterrupt and no cancellation."""
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(coroutine)


def run_by_asyncio(coroutine):
    """Here Ctrl-C cancels the task, which hears of it after `pick` has returned."""
    found = []

    async def main():
        found.append(await coroutine)
        await asyncio.sleep(0)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())
    return found[0]


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("run", [run_plainly, run_by_asyncio])
def test_control_c_inside_a_running_loop(width, run):
    score, store = Interrupting(), MemoryStore()
    task = optimand.FunctionTask(score, width=width)

    async def cell():
        return optimand.pick(["a", "b"], task, store=store)

    check(run(cell()), score, store)
    again = optimand.FunctionTask(score, width=width)
    paid = score.calls
    result = optimand.pick(["a", "b"], again, store=store, budget=optimand.Budget(rollouts=paid))
    assert result.reason == "budget"
    assert score.calls - paid <= 2 * width  # nothing paid was lost


def test_control_c_in_a_duel_of_a_sync_function():
    score = Interrupting()
    task = optimand.DuelTask(lambda a, b, example, seed: score(a, example, seed))
    result = optimand.pick(["a", "b"], task)
    assert result.reason == "interrupted"
    assert score.calls < 500


def test_ordinary_runs_leave_no_thread():
    before = set(threading.enumerate())
    task = optimand.FunctionTask(lambda value, example, seed: 0.5, width=4)
    optimand.pick(["a", "b"], task, budget=optimand.Budget(rollouts=40))
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert set(threading.enumerate()) <= before


STUCK = """
import optimand, os, threading
def score(value, example, seed):
    os.write(1, b"up\\n")  # in one piece: several threads are here at once
    threading.Event().wait()
print(optimand.pick(["a", "b"], optimand.FunctionTask(score, width=4)).reason, flush=True)
"""


def test_a_function_that_never_returns_does_not_keep_the_process(tmp_path):
    script = tmp_path / "stuck.py"
    script.write_text(textwrap.dedent(STUCK))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "up\n"
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert said.split()[-1] == "interrupted"
    assert process.returncode == 0
