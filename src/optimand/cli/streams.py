"""Standard streams that bear what is written to them, and an orderly end of the process."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

__all__ = ["Guarded", "OutputLost", "prepare", "run_to_end"]

CLOSED = 141
"""What a shell says of a program whose reader has gone (`| head -1`): 128 + SIGPIPE."""
LOST = 2
INTERRUPTED = 130


class OutputLost(Exception):
    """Standard output takes no more. `closed`: its reader has gone, which is no fault."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output: {error.strerror or error}")
        self.closed = error.errno == errno.EPIPE


class Guarded:
    """A text stream whose failures are no tracebacks.

    Where `vital`, what cannot be written raises OutputLost. Otherwise it is dropped: a run that is
    paid for does not end because nobody can be told how it goes.
    """

    def __init__(self, stream: Any, *, vital: bool) -> None:
        self._stream, self._vital = stream, vital

    def write(self, text: str) -> int:
        """Write a text; returns its length."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hand everything on."""
        self._try(self._stream.flush)

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except OSError as error:
            if not isinstance(error, BlockingIOError):  # which may take more later
                _discard(self._stream)
            if self._vital:
                raise OutputLost(error) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _discard(stream: Any) -> None:
    """Let what is still buffered go nowhere; else the interpreter fails again at its exit."""
    try:
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (OSError, ValueError):
        return  # no file below it
    os.dup2(nowhere, number)
    os.close(nowhere)


def prepare() -> None:
    """Make the streams of this process complete, able to write any text, and guarded.

    A stream that was closed (`2>&-`) leads to nowhere. A character that the encoding lacks is
    written as an escape such as \\u2026.
    """
    _fill_closed()
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    for name, vital in (("stdout", True), ("stderr", False)):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, Guarded(stream, vital=vital))


def _fill_closed() -> None:
    """Take the numbers 0 to 2 where they are free.

    Else the next file that is opened, perhaps the store, is what libraries write messages to.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def run_to_end(work: Callable[[], object]) -> NoReturn:
    """Run a program that ends with SystemExit, hand its output on, and end the process."""
    prepare()
    try:
        code = _ended(work)
        sys.stdout.flush()
    except OutputLost as lost:
        code = _lost(lost)
    sys.stderr.flush()
    if code == INTERRUPTED and _held_up():
        os._exit(code)  # everything is said and stored; only the user's own calls still go on
    raise SystemExit(code)


def _ended(work: Callable[[], object]) -> int | str | None:
    try:
        work()
    except SystemExit as end:
        return end.code
    return 0


def _lost(lost: OutputLost) -> int:
    if lost.closed:
        return CLOSED
    sys.stderr.write(f"error: {lost}\n")
    return LOST


def _held_up() -> bool:
    """Whether a thread is there that the interpreter would wait for."""
    main = threading.main_thread()
    return any(t is not main and not t.daemon for t in threading.enumerate())
