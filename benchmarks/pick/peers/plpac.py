"""PLPAC: Szorenyi, Busa-Fekete, Paul & Huellermeier 2015, Algorithm 2, for the one best item.

Needs Bradley-Terry (Plackett-Luce) win rates: then the order within a partly sorted list is an
unbiased draw for every pair that the sorting told apart, so that one comparison informs on many.
"""

from __future__ import annotations

import numpy as np
from benchmarks.pick.peers.scripted import Script

__all__ = ["plpac"]


def plpac(size: int, delta: float, rng: np.random.Generator) -> Script:
    """Sort with a budget of n - 1 comparisons, count every pair told apart, drop the beaten."""
    wins = np.zeros((size, size))
    left = np.arange(size)
    while len(left) > 1:
        pivot = int(rng.choice(left))
        above, below = [], []
        for i in left[left != pivot]:
            score = yield int(i), pivot
            won = score > 0.5 or (score == 0.5 and rng.random() < 0.5)
            (above if won else below).append(int(i))
        wins[np.ix_(above, [pivot, *below])] += 1.0
        wins[pivot, below] += 1.0
        left = left[~_beaten(wins[np.ix_(left, left)], size, delta)]
    return int(left[0])


def _beaten(wins: np.ndarray, size: int, delta: float) -> np.ndarray:
    """Who loses to somebody with confidence: p + c < 1/2, c^2 = ln(4 K^2 n^2 / delta) / (2 n)."""
    games = wins + wins.T
    played = np.maximum(games, 1.0)
    radius = np.sqrt(np.log(4.0 * (size * played) ** 2 / delta) / (2.0 * played))
    return np.asarray(((games > 0) & (wins / played + radius < 0.5)).any(1))
