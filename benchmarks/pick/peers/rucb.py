"""Relative upper confidence bound (RUCB): Zoghi, Whiteson, Munos & de Rijke 2014, Algorithm 1."""

from __future__ import annotations

import math

import numpy as np
from benchmarks.pick.peers.common import argmax, playable, rates, without
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState

__all__ = ["rucb", "upper_bounds"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALPHA = 0.51  # the paper's choice in its experiments


def upper_bounds(state: DuelState, sign: float = 1.0) -> Floats:
    """Observed rate plus (minus for sign -1) sqrt(alpha ln t / N), (R, K, K); 1 where unplayed."""
    radius = np.sqrt(ALPHA * math.log(state.issued + 1) / np.maximum(state.count, 1.0))
    bound = np.where(state.count > 0, rates(state) + sign * radius, 0.5 + 0.5 * sign)
    index = np.arange(state.arms)
    bound[:, index, index] = 0.5
    return np.asarray(bound)


def rucb(state: DuelState, rng: np.random.Generator, told: bool = False) -> tuple[Ints, Ints]:
    """An optimistic champion against the rival with the highest bound against it."""
    upper, rows, alive = upper_bounds(state), state.rows, playable(state, told)
    candidates = alive & (upper >= 0.5).all(2)
    candidates = np.where(candidates.any(1)[:, None], candidates, alive)
    best = np.asarray(state.memo.get("rucb best", np.full(len(rows), -1)), np.int64)
    holds = (best >= 0) & candidates[rows, best]
    best = np.where(holds, best, -1)
    single = candidates.sum(1) == 1
    best = np.where(single, candidates.argmax(1), best)
    state.memo["rucb best"] = best
    others = np.where((best >= 0)[:, None], without(candidates, best), candidates)
    stay = (best >= 0) & (single | (rng.random(len(rows)) < 0.5))
    champion = np.where(stay, best, argmax(np.zeros(others.shape), others, rng))
    return champion, argmax(upper[rows, :, champion], without(alive, champion), rng)
