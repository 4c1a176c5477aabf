"""The candidate's process: it answers calls of its functions until nobody asks any more.

Whatever it says is data to the one who asked: scores are made elsewhere, out of its reach.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import socket
import sys
from typing import Any

from .frames import Closed, receive, send
from .program import Program, told

__all__ = ["answer_calls"]

MOST = 1 << 28
_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EROFS)


def answer_calls(link: socket.socket, most: int) -> None:
    """Run the source that the first message brings, then answer one call a message."""
    sys.setrecursionlimit(2000)
    program: Program | None = None
    while True:
        try:
            asked = pickle.loads(receive(link, MOST))
        except Closed:
            return
        try:
            if program is None:
                program = Program(asked["source"], asked["seed"])
                reply: dict[str, Any] = {"value": None}
            else:
                reply = {"value": program.call(asked["name"], asked["args"])}
            body = json.dumps(reply, default=_plain).encode()
            if len(body) > most:
                raise ValueError(f"the answer has {len(body)} bytes, more than {most}")
        except BaseException as error:
            body = json.dumps({"status": _status(error), "error": _said(error)}).encode()
        _flush()
        send(link, body)


def _said(error: BaseException) -> str:
    try:
        return told(error)
    except BaseException:
        return "an error that cannot say itself"


def _status(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    forbidden = isinstance(error, OSError) and error.errno in _FORBIDDEN
    return "violation" if forbidden else "crash"


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the program may have put anything there
            os.write(2, b"")


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as plain ones."""
    for name in ("tolist", "item"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise TypeError(
        f"an answer of type {type(value).__name__} cannot be given: use plain numbers, "
        "texts, lists or mappings"
    )
