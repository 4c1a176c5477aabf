"""What running each candidate costs: as given, or as measured so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MeasuredCosts", "scaled_costs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Runs at the mean cost of all that each candidate is credited with: few, since a price that
# differs enough to matter shows at once.
PSEUDO_RUNS = 2.0


def scaled_costs(costs: ArrayLike) -> Floats:
    """The costs (..., K) in units of their mean; raises ValueError for one that is not positive."""
    found = np.asarray(costs, float)
    if not found.ndim or not np.isfinite(found).all() or not (found > 0.0).all():
        raise ValueError(f"costs are {found}; every candidate's must be a positive, finite number.")
    return np.asarray(found / found.mean(-1, keepdims=True))


class MeasuredCosts:
    """Mean cost of each of K candidates, in R replications, shrunk to the mean of all.

    The few first runs of a candidate say little about its price, and one that happened to cost
    nothing is not free: every mean includes PSEUDO_RUNS runs at the mean cost of all candidates.
    """

    def __init__(self, arms: int, reps: int = 1) -> None:
        self.total: Floats = np.zeros((reps, arms))
        self.count: Floats = np.zeros((reps, arms))

    def add(self, who: Ints, cost: Floats) -> None:
        """Take what one run of each candidate who (R,) cost (R,), from 0 up."""
        rows = np.arange(len(self.total))
        self.total[rows, who] += cost
        self.count[rows, who] += 1.0

    def select(self, keep: NDArray[np.bool_]) -> None:
        """Keep only the replications where `keep` (R,) is true."""
        self.total, self.count = self.total[keep], self.count[keep]

    @property
    def mean(self) -> Floats:
        """(R, K), all equal as long as nothing has cost anything."""
        seen = self.count > 0
        own = np.where(seen, self.total / np.maximum(self.count, 1.0), 0.0)
        pool = own.sum(1, keepdims=True) / np.maximum(seen.sum(1, keepdims=True), 1)
        shrunk = (self.total + PSEUDO_RUNS * pool) / (self.count + PSEUDO_RUNS)
        return np.asarray(np.where(pool > 0.0, shrunk, 1.0))
