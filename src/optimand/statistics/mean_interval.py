"""A confidence interval for a mean of scores in [0, 1] that is valid at any stopping time.

For each mean m on a grid two bets are kept, "the mean is larger" and "smaller", each a mixture
over bet sizes; m stays in the interval while half the sum of both wealths is below 1/delta.
Without replacement the conditional mean under m replaces m.
Source: Waudby-Smith & Ramdas 2024 (arXiv:2010.09686), Sections 4 and 5; mixture over fixed bets.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeanInterval"]

Floats = NDArray[np.float64]

GRID: Floats = np.linspace(0.0, 1.0, 201)
BETS: Floats = np.array([0.006, 0.02, 0.05, 0.12, 0.25, 0.5, 0.9])
CHUNK = 128
SLACK = 1e-9


class MeanInterval:
    """The interval of a growing list of scores; each score is worked through once.

    `population` is the number of scores in all when they are drawn without replacement, None when
    each is a fresh draw. Work is done in chunks; `phase` staggers those of many intervals.
    """

    def __init__(self, population: int | None = None, phase: int = 0) -> None:
        self.population = population
        self.sum = 0.0
        self.count = 0
        self._waiting: list[float] = []
        self._due = CHUNK - phase % CHUNK
        self._wealth: Floats = np.zeros((2, BETS.size, GRID.size))

    def add(self, score: float) -> None:
        """Take the next score, in [0, 1], in the order seen."""
        self._waiting.append(score)
        if len(self._waiting) >= self._due:
            self._catch_up()
            self._due = CHUNK

    @property
    def mean(self) -> float:
        """The mean so far; 0 when there is none."""
        n = self.count + len(self._waiting)
        return (self.sum + math.fsum(self._waiting)) / n if n else 0.0

    def ends(self, delta: float = 0.05) -> tuple[float, float]:
        """(low, high): covers the mean with probability at least 1 - delta, at any time.

        The ends are rounded outward to the grid of 0.005.
        """
        self._catch_up()
        if self.count == 0:
            return 0.0, 1.0
        logs = np.logaddexp.reduce(self._wealth.reshape(-1, GRID.size), axis=0)
        kept = logs - math.log(2 * BETS.size) < math.log(1.0 / delta)
        if self.population is not None:
            total = self.population * GRID
            most = self.sum + self.population - self.count
            kept &= (total >= self.sum - SLACK) & (total <= most + SLACK)
        inside = GRID[kept]
        if inside.size == 0:
            return self.mean, self.mean
        step = float(GRID[1])
        return max(0.0, float(inside[0]) - step), min(1.0, float(inside[-1]) + step)

    def _catch_up(self) -> None:
        if not self._waiting:
            return
        x = np.array(self._waiting)
        self._waiting.clear()
        means = np.broadcast_to(GRID[:, None], (GRID.size, x.size))
        if self.population is not None:
            before = self.sum + np.concatenate([[0.0], np.cumsum(x)[:-1]])
            left = self.population - self.count - np.arange(x.size)
            means = (self.population * GRID[:, None] - before) / left
        means = np.clip(means, SLACK, 1.0 - SLACK)
        up, down = (x - means) / means, (means - x) / (1.0 - means)
        for i, bet in enumerate(BETS):
            self._wealth[0, i] += np.log1p(bet * up).sum(-1)
            self._wealth[1, i] += np.log1p(bet * down).sum(-1)
        self.sum += float(x.sum())
        self.count += x.size
