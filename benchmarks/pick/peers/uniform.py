"""Peers that do not learn: all pairs in turn, and pairs at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState

__all__ = ["random_pair", "round_robin"]

Ints = NDArray[np.int64]


def round_robin(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The pair played least so far, ties at random."""
    return _largest(rng.random(state.count.shape) - state.count)


def random_pair(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Any pair ("RandomPair" of arXiv:2604.08779)."""
    return _largest(rng.random(state.count.shape))


def _largest(key: NDArray[np.float64]) -> tuple[Ints, Ints]:
    reps, size = key.shape[:2]
    key = np.where(np.tri(size, dtype=bool), -np.inf, key)
    a, b = np.divmod(key.reshape(reps, -1).argmax(1), size)
    return np.asarray(a), np.asarray(b)
