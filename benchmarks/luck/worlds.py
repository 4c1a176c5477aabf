"""Worlds with a known truth: how accurate the start is, how accurate proposals are, and the noise.

Nothing here is learnt or tuned: a score is a coin that falls on 1 with the candidate's true
accuracy, thrown afresh on every call, as when a language model answers at a temperature above 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice

__all__ = ["START", "WORLDS", "Outcome", "World", "metric"]

START = 0.60


@dataclass(frozen=True)
class World:
    """True accuracy of proposals: normal with this mean and standard deviation.

    The tenth proposal may be given instead.
    """

    name: str
    mean: float
    deviation: float
    tenth: float | None = None

    def proposals(self, seed: int) -> Iterator[float]:
        """The true accuracy of one new proposal after another; the same stream for all methods."""
        rng = random.Random(f"{self.name} {seed}")
        for number in count(1):
            drawn = min(0.95, max(0.05, rng.gauss(self.mean, self.deviation)))
            yield self.tenth if number == 10 and self.tenth is not None else drawn

    def pool(self, seed: int, size: int) -> list[float]:
        """True accuracies of the start and the first `size` - 1 proposals."""
        return [START, *islice(self.proposals(seed), size - 1)]


WORLDS = (
    World("null", START, 0.0),
    World("drift", 0.58, 0.05),
    World("find", 0.58, 0.05, tenth=0.75),
)


@dataclass(frozen=True)
class Outcome:
    """What a method reported, and the truth about what it returned."""

    reported: float
    true: float
    replaced: bool
    calls: int
    low: float = 0.0
    high: float = 1.0

    @property
    def worse(self) -> bool:
        """Whether what was returned is truly worse than the start."""
        return self.true < START

    @property
    def covered(self) -> bool:
        """Whether the interval holds the true accuracy."""
        return self.low <= self.true <= self.high


def metric(seed: int) -> Callable[[float], float]:
    """A fresh coin for each call, given the true accuracy."""
    rng = random.Random(f"metric {seed}")
    return lambda accuracy: float(rng.random() < accuracy)
