"""Messages over a stream: four bytes of length, then so many bytes."""

from __future__ import annotations

import socket
import struct

__all__ = ["Closed", "TooLong", "receive", "send"]


class Closed(Exception):
    """The other side is gone."""


class TooLong(Exception):
    """The other side announced more than may be."""


def send(link: socket.socket, body: bytes) -> None:
    """Send one message. Raises OSError where the other side is gone."""
    link.sendall(struct.pack("!I", len(body)) + body)


def receive(link: socket.socket, most: int) -> bytes:
    """The next message of at most `most` bytes. Raises Closed, TooLong, TimeoutError."""
    (size,) = struct.unpack("!I", _exactly(link, 4))
    if size > most:
        raise TooLong(f"{size} bytes, more than {most}")
    return _exactly(link, size)


def _exactly(link: socket.socket, size: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < size:
        piece = link.recv(min(size - len(pieces), 1 << 20))
        if not piece:
            raise Closed
        pieces += piece
    return bytes(pieces)
