"""Pools of candidates with known win rates, for measuring pickers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import sigmoid

__all__ = ["INSTANCES", "Instance", "bradley_terry", "cyclic", "graded"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Grader = Callable[[np.random.Generator, Ints, Ints], Floats]


@dataclass(frozen=True)
class Instance:
    """Win rates (K, K) with the best first (best = -1: nobody), tie rate, or a grader of scores."""

    rates: Floats
    best: int = 0
    ties: float = 0.0
    grader: Grader | None = None


def bradley_terry(theta: list[float] | Floats) -> Floats:
    """Win rates (K, K) of strengths theta (K,)."""
    theta = np.asarray(theta, float)
    return sigmoid(theta[:, None] - theta)


def cyclic(size: int, best: float, inner: float) -> Floats:
    """Candidate 0 beats all at rate `best`; each other beats the next half at `inner`."""
    rates = np.full((size, size), 0.5)
    rates[0, 1:], rates[1:, 0] = best, 1.0 - best
    ring = size - 1
    for i in range(ring):
        for step in range(1, (ring - 1) // 2 + 1):
            j = (i + step) % ring
            rates[1 + i, 1 + j], rates[1 + j, 1 + i] = inner, 1.0 - inner
    return rates


def graded(means: list[float] | Floats, noise: float) -> Grader:
    """Scores 1/2 + (mean_a - mean_b)/2 + normal noise, clipped to [0, 1]."""
    level = np.asarray(means, float)

    def grade(rng: np.random.Generator, a: Ints, b: Ints) -> Floats:
        middle = 0.5 + 0.5 * (level[a] - level[b])
        return np.clip(middle + noise * rng.standard_normal(len(a)), 0.0, 1.0)

    return grade


def _no_winner(size: int, inner: float) -> Floats:
    return cyclic(size + 1, 0.5, inner)[1:, 1:]


def _crowned_cycle() -> Floats:
    rates = bradley_terry([0, 0, 0, -1.0, -1.2, -1.4, -1.6, -1.8])
    for a, b in ((0, 1), (1, 2), (2, 0)):
        rates[a, b], rates[b, a] = 0.65, 0.35
    return rates


_BELOW = np.sort(np.random.default_rng(5).normal(0, 0.5, 8))[::-1] - 0.8
_ARENA = np.sort(np.random.default_rng(17).normal(0, 0.5, 10))[::-1]
_MEANS = -0.04 * np.arange(10)
_STEPS = bradley_terry(-0.3 * np.arange(10))

INSTANCES: dict[str, Instance] = {
    "K2 at .60": Instance(bradley_terry([np.log(1.5), 0.0])),
    "K5 BT .4": Instance(bradley_terry(-0.4 * np.arange(5))),
    "K10 BT .3": Instance(_STEPS),
    "K20 BT .3": Instance(bradley_terry(-0.3 * np.arange(20))),
    "K50 BT .2": Instance(bradley_terry(-0.2 * np.arange(50))),
    "K100 BT .2": Instance(bradley_terry(-0.2 * np.arange(100))),
    "K10 hard gap": Instance(bradley_terry(np.r_[0.2, 0.0, _BELOW])),
    "K10 arena": Instance(bradley_terry(_ARENA)),
    "K10 rivals tied at .60": Instance(bradley_terry(np.r_[np.log(1.5), np.zeros(9)])),
    "K10 near tie .52": Instance(bradley_terry(np.r_[0.08, 0.0, -0.5 - 0.3 * np.arange(8)])),
    "K6 cyclic .60/.85": Instance(cyclic(6, 0.6, 0.85)),
    "K8 cyclic .58/.75": Instance(cyclic(8, 0.58, 0.75)),
    "K10 BT .3, 40% ties": Instance(_STEPS, ties=0.4),
    "K10 graded scores": Instance(_STEPS, grader=graded(_MEANS, 0.15)),
    "K2 equal": Instance(np.full((2, 2), 0.5), best=-1),
    "K8 equal": Instance(np.full((8, 8), 0.5), best=-1),
    "K3 cycle .60": Instance(_no_winner(3, 0.6), best=-1),
    "K5 cycle .70": Instance(_no_winner(5, 0.7), best=-1),
    "K8 top cycle .65": Instance(_crowned_cycle(), best=-1),
}
