"""Play many replications of one pool with one strategy, under common random numbers.

The n-th comparison of a pair in replication r has the same outcome whatever strategy asks for it,
and candidates stand in the same shuffled order, so that two strategies differ only by what they
choose and when they stop.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from benchmarks.pick.pools import Pool
from numpy.typing import ArrayLike, NDArray

__all__ = ["Maker", "Player", "Runs", "play", "uniforms"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Player(Protocol):
    """R replications played side by side; `DuelState` is one."""

    @property
    def done(self) -> Bools: ...

    @property
    def answer(self) -> Ints: ...

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]: ...

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None: ...

    def select(self, keep: Bools) -> None: ...


Maker = Callable[[Pool, int, float], Player]
"""Pool, replications, delta -> a player. It must not look at the pool's truth."""


@dataclass(frozen=True)
class Runs:
    """R runs: comparisons `tau`, true index `answer` (-1: "nobody is best"), `cut` at the horizon.

    microseconds: processor time per comparison of one replication, played R at a time.
    """

    tau: Ints
    answer: Ints
    cut: Bools
    microseconds: float


def uniforms(seed: int, reps: Ints, low: Ints, high: Ints, game: Ints) -> Floats:
    """Uniform numbers (R,) in [0, 1) that depend on the arguments only (SplitMix64)."""
    state = np.full(len(reps), seed, np.uint64)
    for word in (reps, low, high, game):
        state = _mix(state ^ _mix(word.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)))
    return (state >> np.uint64(11)).astype(float) * 2.0**-53


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def play(pool: Pool, maker: Maker, reps: int, delta: float, seed: int, horizon: int) -> Runs:
    """Play `reps` replications until they stop or have made `horizon` comparisons."""
    size = pool.size
    # A stable hash: Python's own differs from process to process.
    seed = (seed << 32) ^ zlib.crc32(pool.name.encode())
    order = np.tile(np.arange(size), (reps, 1))
    if pool.features is None:  # features say who is who
        order = np.random.default_rng(seed).permuted(order, axis=1)
    rng, player = np.random.default_rng(seed + 1), maker(pool, reps, delta)
    tau, answer, cut = np.full(reps, horizon), np.full(reps, -1), np.ones(reps, bool)
    who, games = np.arange(reps), np.zeros((reps, size, size), np.int64)
    began, played = time.process_time(), 0
    for step in range(1, horizon + 1):
        a, b = player.choose(rng)
        rows = np.arange(len(who))
        true_a, true_b = order[rows, a], order[rows, b]
        low, high = np.minimum(true_a, true_b), np.maximum(true_a, true_b)
        draw = uniforms(seed, who, low, high, games[rows, low, high])
        games[rows, low, high] += 1
        player.update(a, b, pool.judge.score(true_a, true_b, draw))
        played += len(who)
        done = player.done
        if done.any():
            ended, named = who[done], player.answer[done]
            tau[ended], cut[ended] = step, False
            answer[ended] = np.where(named >= 0, order[rows[done], named], -1)
            keep = ~done
            who, order, games = who[keep], order[keep], games[keep]
            if not len(who):
                break
            player.select(keep)
    spent = (time.process_time() - began) / max(played, 1)
    return Runs(tau, answer, cut, 1e6 * spent)
