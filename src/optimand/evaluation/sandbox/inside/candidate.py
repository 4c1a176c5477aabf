"""The candidate's process: it answers calls of its functions until nobody asks any more.

Whatever it says is data to the one who asked: scores are made elsewhere, out of its reach.
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
from typing import Any

from .answers import answered
from .frames import Closed, receive, send
from .program import Program

__all__ = ["answer_calls"]

MOST = 1 << 28


def answer_calls(link: socket.socket, most: int) -> None:
    """Run the source that the first message brings, then answer one call a message."""
    sys.setrecursionlimit(2000)
    held: list[Program] = []

    def call(asked: dict[str, Any]) -> Any:
        if held:
            return held[0].call(asked["name"], asked["args"])
        held.append(Program(asked["source"], asked["seed"]))
        return None

    while True:
        try:
            message = receive(link, MOST)
        except Closed:
            return
        body = answered(lambda message=message: call(pickle.loads(message)), most)  # type: ignore[misc]
        _flush()
        send(link, body)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the program may have put anything there
            os.write(2, b"")
