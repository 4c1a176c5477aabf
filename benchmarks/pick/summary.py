"""From runs to figures: means, paired ratios, error rates, each with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from benchmarks.pick.plan import Cell
from benchmarks.pick.play import Runs
from numpy.typing import NDArray

from optimand.statistics.divergence import certainty_cost

__all__ = ["Line", "clopper_pearson", "paired_ratio", "summarise"]

Floats = NDArray[np.float64]
Z = 1.959964


@dataclass(frozen=True)
class Line:
    """What one strategy did on one pool. Lengths of runs cut off count with the limit.

    of_least: mean tau / (T* ln(1/delta)); of_bound: mean tau / (T* kl(delta, 1 - delta)), never
    below 1 for a valid rule on average; both with T* of the space the strategy works in, nan where
    nobody is best. wrong: share of runs with a wrong answer, and its 95 % interval.
    """

    cell: Cell
    mean: float
    error: float
    of_least: float
    of_bound: float
    wrong: int
    interval: tuple[float, float]
    cut: float
    microseconds: float
    tau: Floats


def summarise(cell: Cell, runs: Runs) -> Line:
    """All figures of one cell."""
    count, pool = len(runs.tau), cell.pool
    time = pool.structured_time if cell.strategy.linear else pool.time
    mean = float(runs.tau.mean())
    wrong = int((~runs.cut & (runs.answer != pool.best)).sum())
    known = math.isfinite(time)
    return Line(
        cell,
        mean,
        float(runs.tau.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan,
        mean / (time * math.log(1 / cell.delta)) if known else math.nan,
        mean / (time * certainty_cost(cell.delta)) if known else math.nan,
        wrong,
        clopper_pearson(wrong, count),
        float(runs.cut.mean()),
        runs.microseconds,
        runs.tau.astype(float),
    )


def clopper_pearson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval for a share, given hits among count."""
    from scipy.stats import beta

    tail = 0.5 * (1.0 - level)
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, count - hits + 1))
    high = 1.0 if hits == count else float(beta.ppf(1 - tail, hits + 1, count - hits))
    return low, high


def paired_ratio(ours: Floats, theirs: Floats) -> tuple[float, float, float]:
    """Ratio of mean lengths ours / theirs with a 95 % interval, on the runs both have made.

    The n-th runs share their random numbers. Delta method for the logarithm of the ratio.
    """
    count = min(len(ours), len(theirs))
    x, y = ours[:count], theirs[:count]
    ratio = x.mean() / y.mean()
    spread = (x / x.mean() - y / y.mean()).std(ddof=1) / math.sqrt(count)
    return float(ratio), float(ratio * math.exp(-Z * spread)), float(ratio * math.exp(Z * spread))
