"""Examples: the inputs on which candidates are run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from optimand.core.errors import InputError
from optimand.core.keys import content_hash
from optimand.core.usercode import shown

__all__ = ["Endless", "Example", "endless"]

MOST = 10_000_000


@dataclass(frozen=True)
class Example:
    """One input, with the accepted target if there is one."""

    id: str
    input: Any
    target: Any = None
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            raise InputError(f"an example's id is {shown(self.id)}. It must be a text.")
        if not isinstance(self.tags, tuple | list):
            raise InputError(f"an example's tags are {shown(self.tags)}. Give a tuple of texts.")

    @cached_property
    def key(self) -> str:
        """A hash of the content, so that an edited example is never mistaken for the old one."""
        return content_hash(self.id, self.input, self.target)


class Endless(Sequence[Example]):
    """Examples without end, made when asked for: example i has id and input i.

    For tasks that draw their own situation from the seed (simulations, live traffic).
    """

    def __len__(self) -> int:
        return sys.maxsize

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Example(id=str(index), input=index)

    def __iter__(self) -> Iterator[Example]:
        index = 0
        while True:
            yield self[index]
            index += 1


def endless(examples: Sequence[Example]) -> bool:
    """Whether there are too many to shuffle or to keep: they are then taken to be drawn at random.

    True of Endless, and of any sequence of 10 million or more.
    """
    return len(examples) >= MOST
