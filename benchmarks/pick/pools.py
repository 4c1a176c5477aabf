"""Pools of candidates with a known truth, by family."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from benchmarks.instances import INSTANCES, bradley_terry, cyclic
from benchmarks.pick.judging import Judge, coin, graded, information, slot_biased, with_ties
from numpy.typing import NDArray

from optimand.statistics.lower_bound import structured

__all__ = ["Pool", "all_pools"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """A pool whose candidate `best` nobody beats (-1: there is none).

    Where all are equal, 0 counts as best, and naming another as wrong: the promise covers whoever
    nobody beats.
    fresh: drawn at random for this benchmark; nothing was tuned on it. features (K, d) and theta
    (K,): given when strengths are linear in the features.
    """

    name: str
    family: str
    judge: Judge
    best: int = 0
    fresh: bool = False
    features: Floats | None = None
    theta: Floats | None = None

    @property
    def size(self) -> int:
        return len(self.judge.rates)

    @cached_property
    def time(self) -> float:
        """T*: comparisons per nat of the best rule when only a Condorcet winner is assumed."""
        if self.best < 0:
            return math.inf
        rate = np.delete(information(self.judge).max(0), self.best)
        return float((1.0 / rate).sum()) if rate.min() > 0 else math.inf

    @cached_property
    def structured_time(self) -> float:
        """T* when strengths are known to be linear in the features."""
        if self.features is None or self.theta is None:
            return self.time
        return structured(self.theta, self.features).time


def _dossier() -> list[Pool]:
    """The pools on which the default was tuned."""
    named = {
        "Bradley-Terry": [
            "K2 at .60",
            "K5 BT .4",
            "K10 BT .3",
            "K20 BT .3",
            "K50 BT .2",
            "K100 BT .2",
            "K10 arena",
        ],
        "hard gap": ["K10 hard gap"],
        "rivals tied": ["K10 rivals tied at .60"],
        "near tie": ["K10 near tie .52"],
        "cyclic": ["K6 cyclic .60/.85", "K8 cyclic .58/.75"],
        "equal": ["K2 equal", "K8 equal"],
        "nobody best": ["K3 cycle .60", "K5 cycle .70", "K8 top cycle .65"],
    }
    return [
        Pool(
            name,
            family,
            coin(INSTANCES[name].rates),
            0 if family == "equal" else INSTANCES[name].best,
        )
        for family, names in named.items()
        for name in names
    ]


def _judges() -> list[Pool]:
    """Ten evenly spaced candidates, other judges."""
    theta = -0.3 * np.arange(10)
    rates = bradley_terry(theta)
    return [
        Pool("K10 20% ties", "ties", with_ties(rates, 0.2)),
        Pool("K10 40% ties", "ties", with_ties(rates, 0.4)),
        Pool("K10 graded", "graded", graded(-0.04 * np.arange(10), 0.15)),
        Pool("K10 slot bias 1", "slot bias", slot_biased(theta, 1.0, both=False)),
        Pool("K10 slot bias 1, both orders", "slot bias", slot_biased(theta, 1.0, both=True)),
    ]


def _linear(name: str, size: int, dim: int, seed: int, fresh: bool) -> Pool:
    """Unit-length random features, weights of length 2."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(size, dim))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    beta = rng.normal(size=dim)
    theta = features @ (2.0 * beta / np.linalg.norm(beta))
    best = int(theta.argmax())
    return Pool(name, "linear", coin(bradley_terry(theta)), best, fresh, features, theta)


def _random_matrix(rng: np.random.Generator, size: int) -> Floats:
    """Anything goes below a winner that beats each of the others at .55 to .80."""
    upper = np.triu(rng.uniform(0.15, 0.85, (size, size)), 1)
    upper[0, 1:] = rng.uniform(0.55, 0.80, size - 1)
    return np.asarray(upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(size))


def _apart(rng: np.random.Generator, size: int, scale: float, gap: float) -> Floats:
    """Normal strengths, best first and ahead of the rest by at least `gap`."""
    theta = np.sort(rng.normal(0.0, scale, size))[::-1].copy()
    theta[0] = max(theta[0], theta[1] + gap)
    return theta


def _fresh() -> list[Pool]:
    """Random draws with a fixed seed, made after the default was settled."""
    rng = np.random.default_rng(20_261_202)
    pools = [
        Pool(f"K{size} fresh BT", "Bradley-Terry", coin(bradley_terry(theta)), 0, True)
        for size in (5, 10, 20, 50)
        for theta in [_apart(rng, size, 0.6, 0.2)]
    ]
    paper = coin(bradley_terry(_apart(rng, 16, 0.8, 0.3)))
    pools.append(Pool("K16 fresh (shape of the paper)", "Bradley-Terry", paper, 0, True))
    hard = bradley_terry(np.r_[0.25, 0.0, -0.7 + np.sort(rng.normal(0, 0.4, 8))[::-1] - 0.3])
    pools.append(Pool("K10 fresh hard gap", "hard gap", coin(hard), 0, True))
    near = bradley_terry(np.r_[0.09, 0.0, -0.4 - rng.exponential(0.6, 8)])
    pools.append(Pool("K10 fresh near tie", "near tie", coin(near), 0, True))
    tied = bradley_terry(np.r_[0.5, np.zeros(7)])
    pools.append(Pool("K8 fresh rivals tied", "rivals tied", coin(tied), 0, True))
    pools.append(Pool("K7 fresh cyclic", "cyclic", coin(cyclic(7, 0.62, 0.8)), 0, True))
    for size in (6, 10):
        matrix = coin(_random_matrix(rng, size))
        pools.append(Pool(f"K{size} fresh non-transitive", "non-transitive", matrix, 0, True))
    ties = with_ties(bradley_terry(_apart(rng, 10, 0.6, 0.3)), rng.uniform(0.1, 0.5))
    pools.append(Pool("K10 fresh ties", "ties", ties, 0, True))
    means = -np.sort(rng.exponential(0.15, 8))
    means[0] = means[1] + 0.06
    pools.append(Pool("K8 fresh graded", "graded", graded(means, 0.2), 0, True))
    return pools


def all_pools() -> dict[str, Pool]:
    """Every pool that needs no data file, by name."""
    linear = [
        _linear("K16 linear, 4 features", 16, 4, 1, False),
        _linear("K32 linear, 5 features (shape of the paper)", 32, 5, 0, False),
        _linear("K32 fresh linear, 5 features", 32, 5, 20_261_202, True),
    ]
    pools = [*_dossier(), *_judges(), *linear, *_fresh()]
    return {pool.name: pool for pool in pools}
