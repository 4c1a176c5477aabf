"""Pruning one candidate after the other against the best so far, as Optuna's WilcoxonPruner does.

Optuna recommends it for noisy scores on examples: a candidate is given up when a paired Wilcoxon
signed-rank test on the examples both have seen says it is worse, at p < 0.1 (the threshold of its
documentation). Neither it nor the choice of the best mean at the end promises an error rate.
"""

from __future__ import annotations

import warnings

import numpy as np
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import Tables
from numpy.typing import NDArray

__all__ = ["wilcoxon"]

THRESHOLD, EVERY, START = 0.1, 5, 10


def wilcoxon(tables: Tables, delta: float, budget: int) -> Outcome:
    """All examples where these are the population, else as many as the budget pays for."""
    del delta
    reps, examples, size = tables.scores.shape
    each = examples if tables.whole else min(examples, max(START, budget // size))
    answer, rollouts = np.zeros(reps, np.int64), np.zeros(reps, np.int64)
    for r, table in enumerate(tables.scores[:, :each]):
        answer[r], rollouts[r] = _study(table, np.random.default_rng(r))
    return Outcome(answer, rollouts, np.ones(reps, bool))


def _study(table: NDArray[np.float64], rng: np.random.Generator) -> tuple[int, int]:
    each, size = table.shape
    order = rng.permutation(size)
    best, spent = int(order[0]), each
    for arm in order[1:]:
        used = next((n for n in range(START, each, EVERY) if _worse(table[:n], arm, best)), each)
        spent += used
        if used == each and table[:, arm].mean() > table[:, best].mean():
            best = int(arm)
    return best, spent


def _worse(seen: NDArray[np.float64], arm: int, best: int) -> bool:
    from scipy.stats import wilcoxon as test

    gain = seen[:, arm] - seen[:, best]
    if gain.mean() >= 0:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ties make the p-value approximate
        return bool(test(gain, alternative="less", zero_method="zsplit").pvalue < THRESHOLD)
