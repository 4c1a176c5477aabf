"""A candidate at work: its functions are called one after the other, and keep their state."""

from __future__ import annotations

import json
import pickle
import socket
import time
from typing import Any

from optimand.evaluation.sandbox.inside.frames import Closed, TooLong, receive, send
from optimand.evaluation.sandbox.limits import Limits
from optimand.evaluation.sandbox.outcome import Fault, Outcome, Status, ended
from optimand.evaluation.sandbox.plain import plain

__all__ = ["Session"]

REPORT_SECONDS = 10.0
"""How long the keeper of a candidate that is over may take to say so."""
_STATES: tuple[Status, ...] = ("crash", "memory", "violation")


class Session:
    """Made by `Sandbox.open`; use it in one thread, and close it. After a Fault it is over."""

    def __init__(self, link: socket.socket, control: socket.socket, limits: Limits) -> None:
        self._link, self._control, self._limits = link, control, limits
        self._began = time.monotonic()
        self._report: dict[str, Any] | None = None
        self.fault: Fault | None = None

    def start(self, source: str, seed: int) -> None:
        """Run the source. Raises Fault."""
        self._ask({"source": source, "seed": seed})

    def call(self, name: str, *args: Any) -> Any:
        """What the function `name` answers, as plain JSON data.

        Where there is none, the method of that name of the one class that has it; the class is
        made once, without arguments. Arguments: numbers, texts, arrays of numpy, lists, mappings.
        Raises Fault for whatever the program does, InputError for an argument of another kind.
        """
        return self._ask({"name": name, "args": [plain(a) for a in args]})

    def _ask(self, message: dict[str, Any]) -> Any:
        if self.fault is not None:
            raise self.fault
        total = self._limits.total_seconds - (time.monotonic() - self._began)
        self._link.settimeout(max(0.001, min(self._limits.seconds, total)))
        try:
            send(self._link, pickle.dumps(message, protocol=5))
            reply = json.loads(receive(self._link, self._limits.reply_kb << 10))
            if "value" in reply:
                return reply["value"]
            raise self._told(reply)
        except TimeoutError:
            limit = "all its calls" if total < self._limits.seconds else "one call"
            most = min(self._limits.seconds, self._limits.total_seconds)
            raise self._over(Fault("timeout", f"more than {most:g} seconds for {limit}")) from None
        except (Closed, OSError):
            raise self._over(None) from None
        except (TooLong, ValueError, RecursionError, TypeError) as error:
            text = f"the program sent what is no answer ({str(error)[:200]})"
            raise self._over(Fault("violation", text)) from None

    def _told(self, reply: Any) -> Fault:
        status = reply.get("status")
        known: Status = next((s for s in _STATES if s == status), "crash")
        return self._over(Fault(known, str(reply.get("error", ""))[:8000]))

    def _over(self, fault: Fault | None) -> Fault:
        """End the session; where nobody knows why it ended, by the keeper's report."""
        report = self._end()
        self.fault = fault or ended(report)
        return self.fault

    def _end(self) -> dict[str, Any]:
        if self._report is None:
            self._report = self._reported()
            self._control.close()
            self._link.close()
        return self._report

    def _reported(self) -> dict[str, Any]:
        self._link.close()
        try:
            self._control.shutdown(socket.SHUT_WR)
            self._control.settimeout(REPORT_SECONDS)
            body = self._control.recv(1 << 24)
            found = json.loads(body) if body else None
        except (OSError, ValueError):
            found = None
        return found if isinstance(found, dict) else {"failed": "its keeper gave no report"}

    def close(self) -> Outcome:
        """End the program, and all that it started; what it printed and used."""
        report = self._end()
        fault = self.fault
        return Outcome(
            "ok" if fault is None else fault.status,
            None,
            "" if fault is None else fault.error,
            str(report.get("printed", "")),
            time.monotonic() - self._began,
            float(report.get("cpu_seconds", 0.0)),
            float(report.get("memory_mb", 0.0)),
        )

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
