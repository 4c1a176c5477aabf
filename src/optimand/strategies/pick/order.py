"""The order in which examples are used: random, and outcomes as begun; the guarantees need both."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from optimand.core.action import Action, Outcome
from optimand.core.example import Example, endless

__all__ = ["Begun", "in_order", "shuffled"]


def shuffled(examples: Sequence[Example], rng: np.random.Generator) -> Callable[[int], Example]:
    """From a place in random order to the example there; endless ones are random as they come."""
    if endless(examples):
        return examples.__getitem__
    order = rng.permutation(len(examples))
    return lambda place: examples[int(order[place])]


@dataclass
class Begun:
    """The examples of a study in its order, and how many of them were begun."""

    examples: Sequence[Example]
    example: Callable[[int], Example]
    count: int = 0

    def keys(self) -> list[str]:
        """Of those begun; none of examples without end."""
        if endless(self.examples):
            return []
        return [self.example(place).key for place in range(self.count)]

    def drawn(self) -> int:
        """How many were drawn of examples without end."""
        return self.count if endless(self.examples) else 0


class _Table(Protocol):
    """Takes outcomes, and counts them."""

    taken: int

    def take(self, outcome: Outcome) -> None: ...


def in_order(
    begun: Begun,
    table: _Table,
    action: Callable[[Example], Action],
    over: Callable[[], object],
    limit: int | None = None,
) -> Generator[Action | None, Outcome | None, bool]:
    """Begin one example after the other until it is `over`; whether it was, before all were used.

    `limit`: how many may be begun, those before included; all by default. Every outcome goes to
    `table` as it comes.
    """
    most = len(begun.examples) if limit is None else limit
    outcome: Outcome | None = None
    while not over():
        if begun.count < most:
            begun.count += 1
            outcome = yield action(begun.example(begun.count - 1))
        elif table.taken < begun.count:
            outcome = yield None
        else:
            return False
        if outcome is not None:
            table.take(outcome)
    return True
