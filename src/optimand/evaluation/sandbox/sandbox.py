"""The sandbox: a server that is started once, and sessions in it."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from optimand.evaluation.sandbox.limits import Limits
from optimand.evaluation.sandbox.outcome import Fault, Outcome
from optimand.evaluation.sandbox.session import Session
from optimand.evaluation.sandbox.tiers import TIERS, command, tier_for, uid_for

__all__ = ["Sandbox"]

START_SECONDS = 60.0
NUMPY = ("numpy", "numpy.random")
"""numpy loads its generators when they are first used, which takes 20 ms."""


class Sandbox:
    """Runs programs that nobody has read, each in a process of its own.

    tier: a name of TIERS; None takes the best that works here and refuses "unprotected".
    preload: modules that are loaded once, before any candidate. The server starts with the first
    session, which then takes as long as loading those; safe to use from several threads.
    Raises SetupError where there is no such tier here.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        tier: str | None = None,
        preload: Sequence[str] = NUMPY,
        checked: bool = True,
    ) -> None:
        self.limits = limits or Limits()
        self.tier = tier_for(tier) if checked else TIERS[str(tier)]
        self._preload = tuple(preload)
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._commands: socket.socket | None = None
        self._numbers = itertools.count()

    def run(self, source: str, name: str, *args: Any, seed: int = 0) -> Outcome:
        """Run `source`, then its function `name` (see Session.call); whatever happens, an Outcome.

        seed: of Python's and numpy's generators, set before the source runs.
        """
        value = None
        try:
            session = self.open()
        except Fault as fault:
            return Outcome(fault.status, error=fault.error)
        try:
            session.start(source, seed)
            value = session.call(name, *args)
        except Fault:
            pass
        finally:
            outcome = session.close()
        return Outcome(
            outcome.status,
            value,
            outcome.error,
            outcome.printed,
            outcome.seconds,
            outcome.cpu_seconds,
            outcome.memory_mb,
        )

    def open(self, limits: Limits | None = None) -> Session:
        """A process for one candidate; `start` it next. Raises Fault("service")."""
        bounds = limits or self.limits
        number = next(self._numbers)
        asked = {**bounds.to_json(), "cpu_seconds": int(-(-bounds.cpu_seconds // 1))}
        asked["uid"] = uid_for(self.tier, number)
        link, its_link = socket.socketpair()
        control, its_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        its_control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        try:
            body = json.dumps(asked).encode()
            self._send(body, [its_link.fileno(), its_control.fileno()])
        except (OSError, Fault) as error:
            link.close()
            control.close()
            self.close()
            text = f"the sandbox's server is gone ({error})"
            raise error if isinstance(error, Fault) else Fault("service", text) from None
        finally:
            its_link.close()
            its_control.close()
        return Session(link, control, bounds)

    def _send(self, body: bytes, links: list[int]) -> None:
        with self._lock:
            if self._server is not None and self._server.poll() is not None:
                self._stop()
            if self._commands is None:
                self._start()
            assert self._commands is not None
            socket.send_fds(self._commands, [body], links)

    def _start(self) -> None:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words, environment = command(self.tier, self._preload)
        try:
            self._server = subprocess.Popen(
                words,
                stdin=its.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                cwd="/",
                close_fds=True,
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise Fault("service", f"{words[0]} could not be started ({error})") from None
        finally:
            its.close()
        ours.settimeout(START_SECONDS)
        try:
            ready = ours.recv(64) == b"ready"
        except OSError:
            ready = False
        if not ready:
            ours.close()
            said = self._stop()
            raise Fault("service", f"the sandbox's server did not start: {said or 'no reason'}")
        ours.settimeout(None)
        self._commands = ours

    def _stop(self) -> str:
        """End the server and all in it; the last of what it said."""
        server, commands = self._server, self._commands
        self._server = self._commands = None
        if commands is not None:
            commands.close()
        if server is None:
            return ""
        try:
            server.wait(timeout=2)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        assert server.stderr is not None
        os.set_blocking(server.stderr.fileno(), False)
        said = (server.stderr.read() or b"").decode("utf-8", "replace").strip()
        server.stderr.close()
        return said[-500:]

    def close(self) -> None:
        """End all programs. May be called twice; a session opened later starts anew."""
        with self._lock:
            self._stop()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
