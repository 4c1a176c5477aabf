"""Successive elimination: play those not yet eliminated alike.

`active_elimination` leaves the elimination to our evidence. `Savage` eliminates by Hoeffding bounds
(Urvoy, Clerot, Feraud & Naamane 2013), `ActiveRanking` by win rates against random opponents
(Heckel, Shah, Ramchandran & Wainwright 2019); both stop when one candidate is left.
"""

from __future__ import annotations

import math

import numpy as np
from benchmarks.pick.pools import Pool
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.duel import DuelState

__all__ = ["ActiveRanking", "Savage", "active_elimination"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def active_elimination(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The pair of candidates not yet disproved that has been played least."""
    return _rarest(state.count, state.alive, rng)


def _rarest(count: Floats, alive: Bools, rng: np.random.Generator) -> tuple[Ints, Ints]:
    reps, size = alive.shape
    key = np.where(alive[:, :, None] & alive[:, None], rng.random(count.shape) - count, -np.inf)
    key = np.where(np.tri(size, dtype=bool), -np.inf, key)
    a, b = np.divmod(key.reshape(reps, -1).argmax(1), size)
    return np.asarray(a), np.asarray(b)


class _Elimination:
    """Bookkeeping shared by both: who is left, and the last one is the answer."""

    def __init__(self, pool: Pool, reps: int, delta: float) -> None:
        self.size, self.delta = pool.size, delta
        self.alive: Bools = np.ones((reps, pool.size), bool)

    @property
    def done(self) -> Bools:
        return np.asarray(self.alive.sum(1) <= 1)

    @property
    def answer(self) -> Ints:
        return np.where(self.alive.any(1), self.alive.argmax(1), -1)


class Savage(_Elimination):
    """Condorcet SAVAGE: i is out when some j beats it with confidence; unknown horizon."""

    def __init__(self, pool: Pool, reps: int, delta: float) -> None:
        super().__init__(pool, reps, delta)
        self.score: Floats = np.zeros((reps, pool.size, pool.size))
        self.count: Floats = np.zeros((reps, pool.size, pool.size))

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        return _rarest(self.count, self.alive, rng)

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None:
        a, b, y = np.asarray(a), np.asarray(b), np.asarray(y, float)
        rows = np.arange(len(a))
        self.score[rows, a, b] += y
        self.score[rows, b, a] += 1.0 - y
        self.count[rows, a, b] += 1.0
        self.count[rows, b, a] += 1.0
        games, pairs = self.count[rows, a, b], 0.5 * self.size * (self.size - 1)
        radius = np.sqrt(np.log(math.pi**2 * pairs * games**2 / (3.0 * self.delta)) / (2.0 * games))
        lead = self.score[rows, a, b] / games - 0.5
        self.alive[rows[lead > radius], b[lead > radius]] = False
        self.alive[rows[-lead > radius], a[-lead > radius]] = False

    def select(self, keep: Bools) -> None:
        self.alive, self.score, self.count = self.alive[keep], self.score[keep], self.count[keep]


class ActiveRanking(_Elimination):
    """Active ranking for the top one; the radius is that of the authors' code."""

    def __init__(self, pool: Pool, reps: int, delta: float) -> None:
        super().__init__(pool, reps, delta)
        self.wins: Floats = np.zeros((reps, pool.size))
        self.games: Ints = np.zeros((reps, pool.size), np.int64)

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        key = np.where(self.alive, self.games + rng.random(self.wins.shape), np.inf)
        who = key.argmin(1)
        other = rng.integers(0, self.size - 1, len(who))
        return who, other + (other >= who)

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None:
        del b  # a random opponent: the outcome counts for a alone
        a, y = np.asarray(a), np.asarray(y, float)
        rows = np.arange(len(a))
        self.wins[rows, a] += y
        self.games[rows, a] += 1
        least = np.where(self.alive, self.games, 2**60).min(1)
        level = (np.where(self.alive, self.games, least[:, None]) == least[:, None]).all(1)
        share = np.where(self.alive, self.wins / np.maximum(least, 1)[:, None], -np.inf)
        inner = 125.0 * self.size * np.log(1.12 * np.maximum(least, 1)) / self.delta
        radius = np.sqrt(np.log(np.maximum(inner, 1.0)) / np.maximum(least, 1))
        behind = share.max(1)[:, None] - share > radius[:, None]
        self.alive &= ~(behind & level[:, None] & (least > 0)[:, None])

    def select(self, keep: Bools) -> None:
        self.alive, self.wins, self.games = self.alive[keep], self.wins[keep], self.games[keep]
