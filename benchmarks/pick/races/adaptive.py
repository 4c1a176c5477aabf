"""Best-arm identification one rollout at a time: KL-LUCB and top-two Thompson sampling.

Sources: Kaufmann & Kalyanakrishnan 2013 (KL-LUCB, exploration rate ln(405.5 K t^1.1 / delta));
Russo 2016; Shang et al. 2020 (T3C: the challenger is the rival of least evidence); Garivier &
Kaufmann 2016, Proposition 12, for the stopping threshold. Bounds for wins and losses hold for any
score in [0, 1]. Candidates see the examples in the same order; nothing else is paired.
"""

from __future__ import annotations

import math

import numpy as np
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import Tables
from numpy.typing import NDArray

from optimand.statistics.divergence import binary_kl

__all__ = ["kl_lucb", "top_two"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Pulls:
    """Counts and sums (R, K), with the examples taken in order."""

    def __init__(self, tables: Tables) -> None:
        self.scores, self.whole = tables.scores, tables.whole
        reps, self.examples, self.size = tables.scores.shape
        self.rows = np.arange(reps)
        self.count: Ints = np.ones((reps, self.size), np.int64)
        self.sums: Floats = tables.scores[:, 0].copy()

    @property
    def means(self) -> Floats:
        return self.sums / self.count

    def pull(self, arm: Ints, active: NDArray[np.bool_]) -> None:
        """One more rollout of arm (R,) where active; an exhausted arm stays as it is."""
        rows = self.rows[active & (self.count[self.rows, arm] < self.examples)]
        arm = arm[rows]
        self.sums[rows, arm] += self.scores[rows, self.count[rows, arm], arm]
        self.count[rows, arm] += 1

    @property
    def full(self) -> NDArray[np.bool_]:
        return self.count >= self.examples


def kl_lucb(tables: Tables, delta: float, budget: int) -> Outcome:
    """Pull the leader and the most promising rival until their bounds part."""
    del budget
    pulls = _Pulls(tables)
    active, t = np.ones(len(pulls.rows), bool), pulls.size
    decided = ~active
    while active.any():
        means, t = pulls.means, t + 1
        rate = math.log(405.5 * pulls.size * t**1.1 / delta)
        leader = means.argmax(1)
        low, high = _bounds(means, rate / pulls.count)
        if pulls.whole:
            low, high = np.where(pulls.full, means, low), np.where(pulls.full, means, high)
        high[pulls.rows, leader] = -1.0
        rival = high.argmax(1)
        apart = low[pulls.rows, leader] >= high[pulls.rows, rival]
        stuck = pulls.full[pulls.rows, leader] & pulls.full[pulls.rows, rival]
        decided |= active & (apart | (stuck & pulls.whole))
        active &= ~(apart | stuck)
        pulls.pull(leader, active)
        pulls.pull(rival, active)
    return Outcome(pulls.means.argmax(1), pulls.count.sum(1), decided)


def top_two(tables: Tables, delta: float, budget: int, *, proven: bool = True) -> Outcome:
    """Leader by a Beta draw, challenger the rival of least evidence; one of the two by a coin.

    Stops when the likelihood ratio between the leader and every rival passes
    ln(2 t (K - 1) / delta) (proven) or ln((1 + ln t) (K - 1) / delta) (not proven).
    """
    del budget
    pulls, rng = _Pulls(tables), np.random.default_rng(0)
    active, t = np.ones(len(pulls.rows), bool), pulls.size
    decided = ~active
    while active.any():
        t += 1
        best = pulls.means.argmax(1)
        need = _threshold(t, pulls.size, delta, proven)
        ratio = _glr(pulls, best)
        sure = (ratio >= need).all(1) | (pulls.full.all(1) & pulls.whole)
        decided |= active & sure
        active &= ~(sure | (pulls.full.any(1) & (not pulls.whole)))
        arm = rng.beta(pulls.sums + 1.0, pulls.count - pulls.sums + 1.0).argmax(1)
        other = _glr(pulls, arm).argmin(1)
        arm = np.where(rng.random(len(arm)) < 0.5, arm, other)
        spent = pulls.full[pulls.rows, arm]
        pulls.pull(np.where(spent, pulls.count.argmin(1), arm), active)
    return Outcome(pulls.means.argmax(1), pulls.count.sum(1), decided)


def _threshold(t: int, size: int, delta: float, proven: bool) -> float:
    return math.log((2.0 * t if proven else 1.0 + math.log(t)) * (size - 1) / delta)


def _glr(pulls: _Pulls, best: Ints) -> Floats:
    """Log likelihood ratio (R, K) of best against each rival being as good; inf for itself."""
    means, count, rows = pulls.means, pulls.count, pulls.rows
    own, games = means[rows, best][:, None], count[rows, best][:, None]
    middle = (games * own + count * means) / (games + count)
    ratio = games * binary_kl(own, middle) + count * binary_kl(means, middle)
    ratio[rows, best] = np.inf
    return np.asarray(ratio)


def _bounds(means: Floats, level: Floats) -> tuple[Floats, Floats]:
    """Where kl(mean, q) = level, below and above (R, K), by bisection."""
    low, high = np.zeros_like(means), means.copy()
    below, above = means.copy(), np.ones_like(means)
    for _ in range(18):
        middle = 0.5 * (low + high)
        inside = binary_kl(means, middle) <= level
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
        middle = 0.5 * (below + above)
        inside = binary_kl(means, middle) <= level
        below, above = np.where(inside, middle, below), np.where(inside, above, middle)
    return low, above
