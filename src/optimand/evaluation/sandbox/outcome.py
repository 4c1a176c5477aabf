"""How a candidate's run ended."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Fault", "Outcome", "Status", "ended"]

Status = Literal["ok", "crash", "timeout", "memory", "violation", "service"]
"""crash: it raised, or ended itself. timeout: of wall clock or processor time. memory: it asked for
more than it may have. violation: it tried what the sandbox forbids. service: the sandbox failed;
this says nothing about the candidate."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: `value` is what the called function answered, as plain JSON data, if status is "ok".

    `error` says what went wrong: a traceback, or a sentence. `printed` is the first of what it
    printed. `seconds` are wall clock, `memory_mb` the highest resident memory, `fuel` the
    instructions executed in WebAssembly, None elsewhere.
    """

    status: Status
    value: Any = None
    error: str = ""
    printed: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    fuel: int | None = None


class Fault(Exception):
    """A candidate failed in a session, which is over then; `status` is never "ok"."""

    def __init__(self, status: Status, error: str) -> None:
        super().__init__(f"{status}: {error}")
        self.status: Status = status
        self.error = error


def ended(report: Mapping[str, Any]) -> Fault:
    """Why a candidate is gone, from the keeper's report of how its process ended."""
    status = int(report.get("status", 0))
    if "failed" in report or status >> 8 == 3:
        why = report.get("failed") or report.get("printed", "")
        return Fault("service", f"the sandbox could not make a process ({why})")
    number = status & 0x7F
    if number == signal.SIGSYS:
        return Fault("violation", "the program made a system call that the sandbox forbids")
    if number == signal.SIGXCPU or (number == signal.SIGKILL and not report.get("killed")):
        return Fault("timeout", "the program used up its processor time")
    if number:
        return Fault("crash", f"the program was ended by {_signal(number)}")
    return Fault(
        "crash", f"the program ended itself (exit code {status >> 8}) instead of answering"
    )


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
