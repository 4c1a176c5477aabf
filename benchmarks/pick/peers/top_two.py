"""Top-two rules for best-arm identification, with a pair as one query.

Sources: Russo 2016 (top-two Thompson sampling); Jourdan, Degenne, Baudry, de Heide & Kaufmann 2022
(empirical best leader, transportation cost improved, "EB-TCI").
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.pick.peers.common import argmax, beta_draw, playable, rates, without
from numpy.typing import NDArray

from optimand.statistics.divergence import kl_half
from optimand.statistics.duel import DuelState

__all__ = ["eb_tci", "top_two_pairs", "top_two_strengths"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REDRAWS = 20


def top_two_pairs(
    state: DuelState, rng: np.random.Generator, told: bool = False
) -> tuple[Ints, Ints]:
    """Leader: winner of most pairs in a Beta draw; challenger: the same in draws until another."""
    return _redrawn(state, rng, _copeland, told)


def top_two_strengths(
    state: DuelState, rng: np.random.Generator, told: bool = False
) -> tuple[Ints, Ints]:
    """The same with normal draws around Bradley-Terry strengths (Laplace, diagonal)."""
    return _redrawn(state, rng, _strengths, told)


def eb_tci(state: DuelState, rng: np.random.Generator, told: bool = False) -> tuple[Ints, Ints]:
    """Leader: strongest so far; challenger: least evidence against it plus log of its games."""
    allowed = playable(state, told)
    leader = argmax(state.model.theta, allowed, rng)
    rows = state.rows
    ahead = np.maximum(rates(state)[rows, leader], 0.5)
    games = state.count[rows, leader]
    cost = games * kl_half(ahead) + np.log(np.maximum(games, 1.0))
    return leader, argmax(-cost, without(allowed, leader), rng)


Draw = Callable[[DuelState, np.random.Generator, Ints], Floats]


def _redrawn(
    state: DuelState, rng: np.random.Generator, draw: Draw, told: bool
) -> tuple[Ints, Ints]:
    """The best of one draw, and the best of further draws until it is another."""
    allowed = playable(state, told)
    leader = argmax(draw(state, rng, state.rows), allowed, rng)
    challenger, same = leader.copy(), state.rows
    for _ in range(REDRAWS):
        challenger[same] = argmax(draw(state, rng, same), allowed[same], rng)
        same = np.flatnonzero(challenger == leader)
        if not len(same):
            return leader, challenger
    rest = without(allowed, leader)[same]
    challenger[same] = argmax(draw(state, rng, same), rest, rng)
    return leader, challenger


def _copeland(state: DuelState, rng: np.random.Generator, rows: Ints) -> Floats:
    return (beta_draw(state, rng, rows) > 0.5).sum(2).astype(float)


def _strengths(state: DuelState, rng: np.random.Generator, rows: Ints) -> Floats:
    theta = state.model.theta[rows]
    return theta + rng.standard_normal(theta.shape) * np.sqrt(state.model.spread[rows])
