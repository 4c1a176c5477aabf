"""What the conformance suites are written with: a broken clause says which one it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["expect", "expect_raises"]


def expect(holds: bool, clause: str) -> None:
    """Raise AssertionError naming the clause unless it holds; `python -O` does not skip it."""
    if not holds:
        raise AssertionError(f"the contract is broken: {clause}")


@contextmanager
def expect_raises(kind: type[Exception], clause: str, *words: str) -> Iterator[None]:
    """The block must raise `kind`, with all the words in its message."""
    try:
        yield
    except kind as error:
        for word in words:
            expect(word in str(error), f"{clause}: the error must name {word!r}, it says: {error}")
    else:
        raise AssertionError(f"the contract is broken: {clause} must raise {kind.__name__}")
