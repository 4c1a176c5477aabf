import json
import os
import signal
import subprocess
import sys
import time
from collections import OrderedDict, namedtuple
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

import optimand
from optimand.core.errors import InputError, SetupError
from optimand.evaluation.sandbox import TIERS, Fault, Limits, Sandbox, probe, tiers

WORKING = next((name for name, why in probe().items() if not why), "")
pytestmark = pytest.mark.skipif(not WORKING, reason="no sandbox works here")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(tier=WORKING) as made:
        yield made


def test_a_function_is_called_with_plain_values_and_arrays(sandbox: Sandbox) -> None:
    source = "import numpy as np\ndef twice(x, y): return np.asarray(x) * 2, {'y': y}, x.dtype.name"
    outcome = sandbox.run(source, "twice", np.arange(3.0), (1, None))
    assert outcome.status == "ok"
    assert outcome.value == [[0.0, 2.0, 4.0], {"y": [1, None]}, "float64"]


def test_a_class_is_made_once_and_keeps_its_state(sandbox: Sandbox) -> None:
    source = """
class Base:
    def act(self, seen): raise NotImplementedError
class GoodPolicy(Base):
    def __init__(self): self.count = 0
    def act(self, seen):
        self.count += seen
        return self.count
"""
    with sandbox.open() as session:
        session.start(source, 0)
        assert [session.call("act", 2) for _ in range(3)] == [2, 4, 6]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1", "no function and no class with 'act'"),
        ("class A:\n def act(self): 0\nclass B:\n def act(self): 0", "2 classes with 'act'"),
        ("class A:\n def __init__(self, n): 0\n def act(self): 0", "missing 1 required"),
    ],
)
def test_what_cannot_be_found_is_told(sandbox: Sandbox, source: str, words: str) -> None:
    outcome = sandbox.run(source, "act")
    assert outcome.status == "crash"
    assert words in outcome.error


def test_a_traceback_shows_the_lines_of_the_program_and_no_others(sandbox: Sandbox) -> None:
    outcome = sandbox.run("def f(x):\n    y = x + 1\n    return y / 0\n", "f", 1)
    assert outcome.status == "crash"
    assert outcome.error.splitlines() == [
        "Traceback (most recent call last):",
        '  File "program.py", line 3, in f',
        "    return y / 0",
        "ZeroDivisionError: division by zero",
    ]


def test_what_is_no_python_is_told_without_the_harness(sandbox: Sandbox) -> None:
    outcome = sandbox.run("x = 1\ndef f(:", "f")
    assert outcome.status == "crash"
    assert 'File "program.py", line 2' in outcome.error
    assert "inside" not in outcome.error
    assert outcome.error.strip().endswith("SyntaxError: invalid syntax")


def test_draws_are_the_same_in_every_run_and_differ_by_seed(sandbox: Sandbox) -> None:
    source = """
import random
import numpy as np
first = random.random(), np.random.rand(), list({"a", "b", "c", "d"})
def draw(): return [*first, random.random(), np.random.default_rng().random(), np.random.rand()]
"""
    one, same, other = (sandbox.run(source, "draw", seed=s).value for s in (1, 1, 2))
    assert one == same
    assert one[:2] != other[:2]
    assert one[3:] != other[3:]


def test_printed_text_is_kept_and_cut(sandbox: Sandbox) -> None:
    outcome = sandbox.run("print('hello')\ndef f():\n print('x' * 99999)\n return 1", "f")
    assert outcome.value == 1
    assert outcome.printed.startswith("hello\nxxx")
    assert len(outcome.printed) == 64 << 10


def test_limits_end_one_call_and_all_calls(sandbox: Sandbox) -> None:
    limits = Limits(seconds=0.5, total_seconds=0.9)
    source = "import time\ndef nap(s): time.sleep(s)"
    with sandbox.open(limits) as session:
        session.start(source, 0)
        with pytest.raises(Fault, match=r"timeout: more than 0\.5 seconds for one call"):
            session.call("nap", 9)
        with pytest.raises(Fault, match="timeout"):
            session.call("nap", 0)
    with sandbox.open(limits) as session:
        session.start(source, 0)
        with pytest.raises(Fault, match="for all its calls"):
            _ = [session.call("nap", 0.3) for _ in range(9)]


def test_processor_time_is_a_timeout(sandbox: Sandbox) -> None:
    with sandbox.open(Limits(cpu_seconds=1)) as session:
        session.start("def f():\n while True: pass", 0)
        with pytest.raises(Fault, match="processor time"):
            session.call("f")
        assert session.close().cpu_seconds >= 0.9


@pytest.mark.parametrize(
    "given",
    [object(), [object()], {"a": {1: object()}}, np.array([object()]), lambda: 0],
)
def test_objects_of_the_caller_are_refused(sandbox: Sandbox, given: object) -> None:
    with sandbox.open() as session:
        session.start("def f(x): return 1", 0)
        with pytest.raises(InputError, match="cannot be given"):
            session.call("f", given)


def test_named_tuples_enumerations_and_mappings_become_plain(sandbox: Sandbox) -> None:
    point, colour = namedtuple("Point", "x y"), IntEnum("Colour", "RED")
    given = [point(1, 2.5), colour.RED, OrderedDict(a=np.float32(1)), {3}, b"b", np.str_("s")]
    source = "def f(x): return [type(v).__name__ for v in x]"
    outcome = sandbox.run(source, "f", given)
    assert outcome.value == ["tuple", "int", "dict", "list", "bytes", "str_"]


@pytest.mark.parametrize("bad", [{"seconds": 0}, {"memory_mb": 1.5}, {"files_mb": True}])
def test_limits_that_are_none_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(bad))):
        Limits(**bad)


def test_scratch_files_are_gone_with_their_program(sandbox: Sandbox) -> None:
    if not TIERS[WORKING].isolated:
        pytest.skip("nothing can be written in this tier")
    write = "def f():\n open('mine', 'w').write('x')\n import os\n return os.listdir('.')"
    assert sandbox.run(write, "f").value == ["mine"]
    assert sandbox.run("import os\ndef f(): return os.listdir('.')", "f").value == []


def test_many_in_a_row_leave_nothing(sandbox: Sandbox) -> None:
    sandbox.run("def f(): return 1", "f")
    open_before = len(os.listdir("/proc/self/fd"))
    assert all(sandbox.run("def f(): return 1", "f").value == 1 for _ in range(50))
    assert len(os.listdir("/proc/self/fd")) == open_before
    assert sandbox._server is not None
    children = f"/proc/{sandbox._server.pid}/task/{sandbox._server.pid}/children"
    left = Path(children).read_text().split()
    assert len(left) <= 1  # bubblewrap's own, which holds the server


def _family(pid: int) -> list[int]:
    """The process and all its descendants, the youngest first."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [*(p for c in children for p in _family(int(c))), pid]


def test_a_server_that_is_gone_is_a_failed_service_and_then_started_anew() -> None:
    with Sandbox(tier=WORKING, preload=()) as sandbox:
        session = sandbox.open()
        session.start("def f(): return 1", 0)
        assert sandbox._server is not None
        for pid in _family(sandbox._server.pid):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(Fault) as caught:
            _ = [session.call("f") for _ in range(10_000)]
        session.close()
        assert caught.value.status == "service"
        assert sandbox.run("def f(): return 2", "f").value == 2


def test_nothing_lives_on_when_the_caller_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys, time
from optimand.evaluation.sandbox import Sandbox
sandbox = Sandbox(tier={WORKING!r}, preload=())
session = sandbox.open()
session.start("def f():\\n    while True: pass", 0)
print(sandbox._server.pid, flush=True)
session.call("f")
"""
    source = str(Path(optimand.__file__).parents[1])
    caller = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert caller.stdout is not None
    family = _family(int(caller.stdout.readline()))
    assert len(family) >= 2
    caller.kill()
    caller.wait()
    caller.stdout.close()
    for _ in range(200):
        if not any(Path(f"/proc/{pid}").exists() for pid in family):
            return
        time.sleep(0.05)
    pytest.fail("something lives on")


def test_unprotected_is_never_chosen_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {name: "broken" for name in TIERS if name != "unprotected"}
    monkeypatch.setattr(tiers, "_found", {**broken, "unprotected": ""})
    with pytest.raises(SetupError, match=r"bubblewrap: broken.*apt install bubblewrap"):
        Sandbox()
    assert Sandbox(tier="unprotected").tier.name == "unprotected"
    with pytest.raises(SetupError, match="does not work here: broken"):
        Sandbox(tier="landlock")
    with pytest.raises(InputError, match="no sandbox 'docker'"):
        Sandbox(tier="docker")


def test_a_missing_program_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "_found", {})
    monkeypatch.setattr(tiers.shutil, "which", lambda name: None)
    assert tiers.why_not(TIERS["bubblewrap"]) == "the program `bwrap` is not installed"


def test_nothing_of_the_callers_environment_is_handed_on() -> None:
    words, environment = tiers.command(TIERS["bubblewrap"], ())
    assert set(environment) >= {"PATH", "PYTHONHASHSEED"}
    assert not set(environment) & (set(os.environ) - {"PATH", "HOME", "LANG"} - _THREADS)
    assert json.loads(words[-1])["namespaces"] is True


_THREADS = {f"{n}_NUM_THREADS" for n in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}


@pytest.mark.slow
def test_two_thousand_in_a_row() -> None:
    with Sandbox(tier=WORKING) as sandbox:
        sandbox.run("def f(): return 1", "f")
        assert sandbox._server is not None
        memory = Path(f"/proc/{sandbox._server.pid}/statm")
        before, times = int(memory.read_text().split()[1]), []
        for i in range(2000):
            began = time.perf_counter()
            assert sandbox.run(f"def f(): return {i}", "f").value == i
            times.append(time.perf_counter() - began)
        assert int(memory.read_text().split()[1]) - before < 256  # pages
    times.sort()
    print(f"{WORKING}: median {times[1000] * 1e3:.1f} ms, 95 % below {times[1900] * 1e3:.1f} ms")
