"""A confidence interval for a mean of scores in [0, 1] that is valid at any stopping time.

For each mean m on a grid two bets are kept, "the mean is larger" and "smaller", each a mixture
over bet sizes; m stays in the interval while half the sum of both wealths is below 1/delta.
Without replacement the conditional mean under m replaces m.
Source: Waudby-Smith & Ramdas 2024 (arXiv:2010.09686), Sections 4 and 5; mixture over fixed bets.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["mean_interval"]

GRID: NDArray[np.float64] = np.linspace(0.0, 1.0, 201)
BETS: NDArray[np.float64] = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 0.95])


def mean_interval(
    scores: ArrayLike, delta: float = 0.05, population: int | None = None
) -> tuple[float, float]:
    """Interval (low, high) that covers the mean with probability at least 1 - delta, at any time.

    `scores` (n,) in [0, 1] in the order seen; `population` is the number of scores in all when
    they are drawn without replacement, None when each is a fresh draw. The ends are rounded
    outward to the grid of 0.005.
    """
    x = np.asarray(scores, float)
    if x.size == 0:
        return 0.0, 1.0
    means = np.broadcast_to(GRID[:, None], (GRID.size, x.size))
    impossible = np.zeros(GRID.size, bool)
    if population is not None:
        before = np.concatenate([[0.0], np.cumsum(x)[:-1]])
        left = population - np.arange(x.size)
        means = (population * GRID[:, None] - before) / left
        total = np.cumsum(x)[-1]
        slack = 1e-9
        impossible = (population * GRID < total - slack) | (
            population * GRID > total + population - x.size + slack
        )
    means = np.clip(means, 1e-9, 1 - 1e-9)
    gain = x - means
    wealth = np.logaddexp(_mixture(gain / means), _mixture(-gain / (1.0 - means))) - math.log(2.0)
    kept = GRID[(wealth < math.log(1.0 / delta)) & ~impossible]
    if kept.size == 0:
        center = float(x.mean())
        return center, center
    step = GRID[1]
    return max(0.0, float(kept[0] - step)), min(1.0, float(kept[-1] + step))


def _mixture(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest-at-the-end is not allowed: the log wealth now, mean over the bets; gain >= -1."""
    logs = np.stack([np.log1p(bet * gain).sum(-1) for bet in BETS])
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(BETS)))
