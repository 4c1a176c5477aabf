"""Watches one candidate: keeps the first of what it prints, ends it, and says how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any

__all__ = ["Keeper"]

GRACE = 5.0
"""Seconds beyond a session's own time after which it is ended without being asked."""


class Keeper:
    """Of the process `pid`, whose output comes through the pipe `printed`.

    The candidate ends when `control` brings anything, or is closed: then nobody is left to ask.
    It is the first process of its namespace, so all that it started ends with it.
    """

    def __init__(
        self, pid: int, control: socket.socket, printed: int, session: Mapping[str, Any]
    ) -> None:
        self._pid, self.control, self.printed = pid, control, printed
        self.ended = os.pidfd_open(pid)
        self.latest = time.monotonic() + session["total_seconds"] + GRACE
        self._most = session["output_kb"] << 10
        self._kept = bytearray()
        self._killed, self._cpu_seconds = False, session["cpu_seconds"]
        os.set_blocking(printed, False)

    def read(self) -> bool:
        """Take in a piece of what was printed, the first `output_kb` of all; False at the end."""
        try:
            piece = os.read(self.printed, 1 << 16)
        except BlockingIOError:
            return True
        self._kept += piece[: max(0, self._most - len(self._kept))]
        return bool(piece)

    def kill(self) -> None:
        """End the candidate."""
        self._killed = True
        signal.pidfd_send_signal(self.ended, signal.SIGKILL)

    def report(self) -> None:
        """Say how it ended, after `ended` has become readable; everything is closed then."""
        _, status, used = os.wait4(self._pid, 0)
        self.read()
        busy = used.ru_utime + used.ru_stime
        report = {
            "status": status,
            # Its link closes a moment before it has ended, and the caller then asks for the end.
            "killed": self._killed and busy < 0.9 * self._cpu_seconds,
            "printed": self._kept.decode("utf-8", "replace"),
            "cpu_seconds": busy,
            "memory_mb": used.ru_maxrss / 1024,
        }
        self.control.setblocking(False)
        with contextlib.suppress(OSError):  # where nobody is left to be told
            self.control.send(json.dumps(report).encode())
        self.control.close()
        os.close(self.printed)
        os.close(self.ended)
