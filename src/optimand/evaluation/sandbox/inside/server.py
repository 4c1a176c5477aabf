"""The fork server: Python and numpy are loaded once, then a process is made for each candidate.

Commands come in on standard input: a session's limits, with the two sockets by which the caller
talks to the candidate and to its keeper.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from .candidate import answer_calls
from .isolation import (
    APART,
    SCRATCH,
    end_with_parent,
    fresh_files,
    keep_limits,
    powerless,
)
from .keeper import Keeper
from .kernel import forked
from .seccomp import program, refuse_system_calls

__all__ = ["main"]

NOT_CLOSED = 3
"""Exit code of a candidate's process that could not be shut in, and has run nothing."""


def main(settings: Mapping[str, Any]) -> None:
    """Serve until standard input is closed. `settings`: see `tiers.command`."""
    if settings["root"]:
        from .rootfs import enter

        enter(settings["readable"])
    for name in settings["preload"]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    # Ctrl-C at the terminal is for the one who asks, who then closes the sessions.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = _Server(settings)
    try:
        server.serve()
    finally:
        server.end()


class _Server:
    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings, self._filter = settings, program()
        self._commands = socket.socket(fileno=os.dup(0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._commands, selectors.EVENT_READ)
        self._keepers: set[Keeper] = set()

    def serve(self) -> None:
        self._commands.send(b"ready")
        while True:
            for key, _ in self._ready.select(self._patience()):
                keeper: Keeper | None = key.data
                if keeper is None:
                    if not self._begin():
                        return
                elif keeper in self._keepers:
                    self._serve(keeper, key.fileobj)
            now = time.monotonic()
            for keeper in [k for k in self._keepers if k.latest < now]:
                keeper.kill()

    def end(self) -> None:
        """End every candidate: without a namespace they would live on."""
        for keeper in self._keepers:
            keeper.kill()

    def _patience(self) -> float | None:
        if not self._keepers:
            return None
        first: float = min(k.latest for k in self._keepers)
        return max(0.0, first - time.monotonic())

    def _serve(self, keeper: Keeper, source: Any) -> None:
        if source is keeper.control:
            self._ready.unregister(keeper.control)
            keeper.kill()
        elif source == keeper.printed:
            if not keeper.read():
                self._ready.unregister(keeper.printed)
        else:
            self._keepers.discard(keeper)
            for one in (keeper.control, keeper.printed, keeper.ended):
                if one in self._ready.get_map():
                    self._ready.unregister(one)
            keeper.report()

    def _begin(self) -> bool:
        """Start a candidate; False where the caller is gone."""
        message, links, _, _ = socket.recv_fds(self._commands, 1 << 16, 2)
        if not message:
            return False
        session = json.loads(message)
        link, control = (socket.socket(fileno=number) for number in links)
        printed, out = os.pipe()
        try:
            pid = forked(APART) if self._settings["namespaces"] else os.fork()
        except OSError as error:
            control.send(json.dumps({"failed": str(error)}).encode())
            control.close()
            os.close(printed)
        else:
            if pid == 0:
                self._become(session, link, out)
            keeper = Keeper(pid, control, printed, session)
            self._keepers.add(keeper)
            for one in (keeper.control, keeper.printed, keeper.ended):
                self._ready.register(one, selectors.EVENT_READ, keeper)
        os.close(out)
        link.close()
        return True

    def _become(self, session: Mapping[str, Any], link: socket.socket, out: int) -> NoReturn:
        """The candidate's process."""
        status = NOT_CLOSED
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for stream in (1, 2):
                os.dup2(out, stream)
            keep = link.fileno()
            os.closerange(3, keep)
            os.closerange(keep + 1, 1 << 16)
            os.setsid()
            self._shut_in(session)
            status = 4
            answer_calls(link, session["reply_kb"] << 10)
            status = 0
        except BaseException as error:
            if status == NOT_CLOSED:
                os.write(2, f"it could not be shut in: {error}".encode())
        finally:
            os._exit(status)

    def _shut_in(self, session: Mapping[str, Any]) -> None:
        scratch = self._settings["namespaces"]
        if scratch:
            fresh_files(session["files_mb"])
        os.chdir(SCRATCH if scratch else "/")
        keep_limits(session, scratch)
        powerless(session["uid"], self._settings["readable"], scratch)
        end_with_parent()
        refuse_system_calls(self._filter)
