"""Thompson sampling on pairs: independent draws, and Double Thompson sampling (Wu & Liu 2016)."""

from __future__ import annotations

import numpy as np
from benchmarks.pick.peers.common import argmax, beta_draw, playable, without
from benchmarks.pick.peers.rucb import upper_bounds
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState

__all__ = ["double_thompson", "thompson"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def thompson(state: DuelState, rng: np.random.Generator, told: bool = False) -> tuple[Ints, Ints]:
    """Winner of most pairs in a posterior draw against the same in another draw."""
    allowed = playable(state, told)
    first = argmax(_copeland(beta_draw(state, rng)), allowed, rng)
    others = without(allowed, first)
    return first, argmax(_copeland(beta_draw(state, rng)), others, rng)


def double_thompson(
    state: DuelState, rng: np.random.Generator, told: bool = False
) -> tuple[Ints, Ints]:
    """D-TS: the first by a draw among optimistic Copeland winners, the second by a second draw.

    Second: the largest drawn win rate against the first among those whose lower bound is <= 1/2.
    """
    rows, alive = state.rows, playable(state, told)
    promise = np.where(alive, (upper_bounds(state) > 0.5).sum(2), -1)
    hopeful = alive & (promise == promise.max(1, keepdims=True))
    first = argmax(_copeland(beta_draw(state, rng)), hopeful, rng)
    score, count = state.score[rows, :, first], state.count[rows, :, first]
    drawn = rng.beta(score + 1.0, count - score + 1.0)
    others = without(alive, first)
    open_ = others & (upper_bounds(state, -1.0)[rows, :, first] <= 0.5)
    open_ = np.where(open_.any(1)[:, None], open_, others)
    return first, argmax(drawn, open_, rng)


def _copeland(drawn: Floats) -> Floats:
    return (drawn > 0.5).sum(2).astype(float)
