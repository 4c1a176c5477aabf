"""Worlds with a known truth: how accurate the start is, how accurate proposals are, and the noise.

Nothing here is learnt or tuned: a score is a coin that falls on 1 with the candidate's true
accuracy, thrown afresh on every call, as when a language model answers at a temperature above 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["START", "WORLDS", "Outcome", "World", "metric"]

START = 0.60


@dataclass(frozen=True)
class World:
    """True accuracy of proposals: normal with this mean and standard deviation."""

    name: str
    mean: float
    deviation: float

    def proposals(self, seed: int) -> Callable[[], float]:
        """The true accuracy of one new proposal after another; the same stream for all methods."""
        rng = random.Random(f"{self.name} {seed}")
        return lambda: min(0.95, max(0.05, rng.gauss(self.mean, self.deviation)))

    def pool(self, seed: int, size: int) -> list[float]:
        """True accuracies of the start and the first `size` - 1 proposals."""
        propose = self.proposals(seed)
        return [START, *(propose() for _ in range(size - 1))]


WORLDS = (World("null", START, 0.0), World("drift", 0.58, 0.05))


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
