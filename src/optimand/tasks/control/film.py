"""Pictures of an episode in one strip, as a PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["filmstrip", "png"]

WIDTH = 150
"""Pixels of one picture."""
COLUMNS = 6
GAP = 4


def filmstrip(frames: Sequence[Any], most: int) -> bytes:
    """At most `most` of the frames, evenly spaced, the first and the last among them.

    frames: arrays of shape (height, width, 3), uint8; others are left out. b"" for none.
    """
    kept = [f for f in frames if isinstance(f, np.ndarray) and f.ndim == 3 and f.shape[2] == 3]
    if not kept:
        return b""
    places = np.unique(np.linspace(0, len(kept) - 1, most).round().astype(int))
    small = [_shrunk(kept[i]) for i in places]
    high, wide = (max(f.shape[axis] for f in small) for axis in (0, 1))
    rows = -(-len(small) // COLUMNS)
    columns = min(COLUMNS, len(small))
    form = (rows * (high + GAP) - GAP, columns * (wide + GAP) - GAP, 3)
    sheet = np.full(form, 255, dtype=np.uint8)
    for number, frame in enumerate(small):
        top, left = number // COLUMNS * (high + GAP), number % COLUMNS * (wide + GAP)
        sheet[top : top + frame.shape[0], left : left + frame.shape[1]] = frame
    return png(sheet)


def _shrunk(frame: Any) -> Any:
    """Every so many pixels together, so that thin lines stay visible."""
    step = max(1, -(-frame.shape[1] // WIDTH))
    high, wide = (n // step * step for n in frame.shape[:2])
    if not high or not wide:
        return frame.astype(np.uint8)
    blocks = frame[:high, :wide].reshape(high // step, step, wide // step, step, 3)
    return blocks.mean(axis=(1, 3)).astype(np.uint8)


def png(pixels: Any) -> bytes:
    """A PNG of an array of shape (height, width, 3), uint8 (ISO/IEC 15948)."""
    high, wide, _ = pixels.shape
    rows = np.concatenate([np.zeros((high, 1), np.uint8), pixels.reshape(high, wide * 3)], axis=1)
    head = struct.pack("!IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack("!I", len(body)) + kind + body + struct.pack("!I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
