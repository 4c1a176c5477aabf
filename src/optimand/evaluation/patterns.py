"""A user's regular expressions on a model's text: matched where they cannot hold up the run.

A pattern such as `(a+)+$` can take longer than anyone waits, and nothing in this process could stop
it. So all but the simplest are matched in a second process, which is ended after 2 seconds.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

__all__ = ["SECONDS", "broken", "find"]

SECONDS = 2.0
"""How long one match may take; then TimeoutError is raised."""

_SHORT = 5_000
_REPEATS = re.compile(r"[*+?{|]")

# An alarm ends a process whose parent was killed during a match that would never end.
_WORKER = """\
import json, re, signal, sys
alarm = getattr(signal, "alarm", lambda seconds: None)
print("ready", flush=True)
for line in sys.stdin:
    pattern, text, full, group = json.loads(line)
    alarm(60)
    compiled = re.compile(pattern)
    match = compiled.fullmatch(text) if full else compiled.search(text)
    alarm(0)
    print(json.dumps(match and match[group]), flush=True)
"""


def broken(pattern: Any) -> str:
    """Why something is no pattern, or the empty text."""
    try:
        re.compile(pattern)
    except RecursionError:
        return "it is nested too deep"
    except (re.error, OverflowError, TypeError) as error:
        return str(error)
    return ""


def find(pattern: str, text: str, *, full: bool = False, group: int | str = 0) -> str | None:
    """The group of the first match of a good pattern (with `full`: of all the text), or None.

    Raises TimeoutError where that takes longer than `SECONDS`.
    """
    # With one repeat at most, the time is quadratic at worst, and short for a short text.
    if len(text) <= _SHORT and len(_REPEATS.findall(pattern.replace("(?", "("))) <= 1:
        return _here(pattern, text, full, group)
    try:
        answer = _MATCHER.ask(json.dumps([pattern, text, full, group]))
    except OSError:  # no second process can be had on this machine
        return _here(pattern, text, full, group)
    if not answer:
        raise TimeoutError(f"the pattern {pattern!r} took longer than {SECONDS:g} s on it")
    found: str | None = json.loads(answer)
    return found


def _here(pattern: str, text: str, full: bool, group: int | str) -> str | None:
    compiled = re.compile(pattern)
    match = compiled.fullmatch(text) if full else compiled.search(text)
    return match[group] if match else None


class _Matcher:
    """The second process, started when it is first asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Popen[str] | None = None
        self._owner = 0
        atexit.register(self.close)

    def ask(self, question: str) -> str:
        """The answer, or nothing if none came in time. Raises OSError without a process."""
        with self._lock:
            for _ in range(2):
                answer, late = self._asked(self._running(), question)
                if answer or late:
                    return answer
            raise OSError("the matching process ends by itself")

    def _asked(self, process: Popen[str], question: str) -> tuple[str, bool]:
        """The answer, and whether time was up."""
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        limit = threading.Timer(SECONDS, end)
        limit.start()
        try:
            print(question, file=process.stdin, flush=True)
            answer = process.stdout.readline() if process.stdout else ""
        except BrokenPipeError:
            answer = ""
        finally:
            limit.cancel()
        if late.is_set() or not answer:
            self._end()
        return answer, late.is_set()

    def _running(self) -> Popen[str]:
        if self._process is None or self._owner != os.getpid():  # a fork has its parent's pipes
            self._process = _start()
            self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.communicate()


def _start() -> Popen[str]:
    from subprocess import DEVNULL, PIPE, Popen

    process = Popen(
        [sys.executable, "-I", "-S", "-c", _WORKER],
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        text=True,
        encoding="ascii",
        start_new_session=True,  # an interrupt from the keyboard is not for it
    )
    if process.stdout is None or process.stdout.readline() != "ready\n":
        process.kill()
        process.communicate()
        raise OSError("the matching process did not start")
    return process


_MATCHER = _Matcher()
