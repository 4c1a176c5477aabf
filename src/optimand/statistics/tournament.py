"""Winners of a tournament given pairwise win rates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["condorcet_winner", "top_cycle"]

Floats = NDArray[np.float64]


def condorcet_winner(rates: Floats) -> int | None:
    """Index of the candidate with win rate > 1/2 against every rival, or None; rates (K, K)."""
    off = ~np.eye(len(rates), dtype=bool)
    wins = ((rates > 0.5) | ~off).all(1)
    return int(wins.argmax()) if wins.any() else None


def top_cycle(rates: Floats) -> list[int]:
    """Smallest non-empty set whose members beat everyone outside it (Smith set), ascending.

    A Condorcet winner is a set of one. Ties (exactly 1/2) count as beating both ways.
    Source: Smith 1973; computed by reachability.
    """
    size = len(rates)
    reach = (rates >= 0.5) | np.eye(size, dtype=bool)
    for via in range(size):
        reach |= reach[:, via, None] & reach[None, via, :]
    return [int(i) for i in np.flatnonzero(reach.all(1))]
