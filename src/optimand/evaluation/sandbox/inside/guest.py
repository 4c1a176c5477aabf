"""One call of a program within WebAssembly, asked on standard input, answered on the output."""

from __future__ import annotations

import json
import sys

from .answers import answered
from .program import Program

__all__ = ["main"]


def main() -> None:
    """Run the source, call its function, and print the mark and the answer behind it."""
    asked = json.load(sys.stdin)
    body = answered(
        lambda: Program(asked["source"], asked["seed"]).call(asked["name"], asked["args"]),
        1 << 30,
    )
    sys.stdout.flush()
    sys.__stdout__.write(asked["mark"] + body.decode())  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]
