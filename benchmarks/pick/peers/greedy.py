"""Epsilon-greedy: usually the two that win most, sometimes any pair."""

from __future__ import annotations

import numpy as np
from benchmarks.pick.peers.common import argmax, playable, rates, without
from benchmarks.pick.peers.uniform import random_pair
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState

__all__ = ["epsilon_greedy"]

Ints = NDArray[np.int64]

EPSILON = 0.1


def epsilon_greedy(
    state: DuelState, rng: np.random.Generator, told: bool = False
) -> tuple[Ints, Ints]:
    """With probability 0.1 a random pair, else the leader and its strongest open rival.

    The leader wins most pairs by the observed rates (then the largest mean rate); its rival has the
    highest observed rate against it.
    """
    seen, allowed = rates(state), playable(state, told)
    strength = (seen > 0.5).sum(2) + seen.mean(2)
    leader = argmax(strength, allowed, rng)
    rival = argmax(seen[state.rows, :, leader], without(allowed, leader), rng)
    a, b = random_pair(state, rng)
    explore = rng.random(len(leader)) < EPSILON
    return np.where(explore, a, leader), np.where(explore, b, rival)
