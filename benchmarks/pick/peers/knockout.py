"""Knockout tournaments: Falahatgar, Orlitsky, Pichapati & Suresh 2017, and one on our evidence."""

from __future__ import annotations

import math

import numpy as np
from benchmarks.pick.peers.scripted import Script, scripted
from benchmarks.pick.play import Player
from benchmarks.pick.pools import Pool
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState

__all__ = ["bracket", "knockout_told_the_gap"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHRINK = 2.0 ** (1.0 / 3.0) - 1.0  # c: keeps the sum of all rounds' biases below epsilon


def knockout_told_the_gap(pool: Pool, reps: int, delta: float) -> Player:
    """Knockout finds a candidate within epsilon of the best, so it needs to know the gap.

    It is told the true gap between the best and its closest rival, which no one has in practice.
    """
    gap = float(np.delete(pool.judge.rates[pool.best], pool.best).min() - 0.5)
    return scripted(lambda size, level, rng: _knockout(size, level, gap, rng))(pool, reps, delta)


def _knockout(size: int, delta: float, gap: float, rng: np.random.Generator) -> Script:
    left, stage = rng.permutation(size), 0
    while len(left) > 1:
        stage += 1
        bias = SHRINK * gap / 2.0 ** (stage / 3.0)
        through = [int(left[-1])] if len(left) % 2 else []
        for i, j in zip(left[0 : len(left) - 1 : 2], left[1::2], strict=True):
            winner = yield from _compare(int(i), int(j), bias, delta / 2.0**stage)
            through.append(winner)
        left = rng.permutation(through)
    return int(left[0])


def _compare(i: int, j: int, bias: float, delta: float) -> Script:
    """Play until the lead exceeds its confidence radius less the bias, or the budget is spent."""
    budget = math.ceil(math.log(2.0 / delta) / (2.0 * bias**2))
    total, games, radius = 0.0, 0, 0.5
    while games < budget:
        total += yield i, j
        games += 1
        radius = math.sqrt(math.log(4.0 * games**2 / delta) / (2.0 * games))
        if abs(total / games - 0.5) > radius - bias:
            break
    return i if total > 0.5 * games else j


def bracket(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Random pairs of candidates not yet disproved, each played until one of the two is."""
    alive, reps, size = state.alive, len(state.rows), state.arms
    partner = np.array(state.memo.get("partner", np.full((reps, size), -1)), np.int64)
    index = np.arange(size)
    met = np.take_along_axis(alive, np.maximum(partner, 0), 1)
    open_ = alive & (partner >= 0) & met
    for r in np.flatnonzero(~open_.any(1)):
        order = rng.permutation(index[alive[r]])
        order = order[: len(order) // 2 * 2]
        partner[r] = -1
        partner[r, order[0::2]], partner[r, order[1::2]] = order[1::2], order[0::2]
        open_[r] = partner[r] >= 0
    state.memo["partner"] = partner
    games = np.where(open_, state.count[state.rows[:, None], index, np.maximum(partner, 0)], np.inf)
    a = games.argmin(1)
    return a, partner[state.rows, a]
