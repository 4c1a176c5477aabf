"""All faults of a file at once, so that it is mended in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from optimand.core.errors import InputError

__all__ = ["Faults"]

MOST = 10
"""How many faults are said; of more, the number."""


class Faults:
    """Faults in the order in which they were found."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self._found = list(found)

    def add(self, text: str) -> None:
        """Remember one fault."""
        self._found.append(text)

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Within, an InputError is remembered, and ends no more than the block."""
        try:
            yield
        except InputError as error:
            self._found += str(error).split("\n")  # it may be several

    def settle(self) -> None:
        """Raises InputError with the faults, one a line; nothing happens where there are none."""
        if not self._found:
            return
        more = len(self._found) - MOST
        lines = self._found[:MOST] + ([f"and {more:,} more such faults"] if more > 0 else [])
        raise InputError("\n".join(lines))
