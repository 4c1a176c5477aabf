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
    return _redrawn(state, rng, _copeland, _pair_cost, told)


def top_two_strengths(
    state: DuelState, rng: np.random.Generator, told: bool = False
) -> tuple[Ints, Ints]:
    """The same with normal draws around Bradley-Terry strengths (Laplace, diagonal)."""
    return _redrawn(state, rng, _strengths, _strength_cost, told)


def eb_tci(state: DuelState, rng: np.random.Generator, told: bool = False) -> tuple[Ints, Ints]:
    """Leader: strongest so far; challenger: least evidence against it plus log of its games."""
    allowed = playable(state, told)
    leader = argmax(state.model.theta, allowed, rng)
    games = state.count[state.rows, leader]
    cost = _pair_cost(state, leader) + np.log(np.maximum(games, 1.0))
    return leader, argmax(-cost, without(allowed, leader), rng)


Draw = Callable[[DuelState, np.random.Generator, Ints], Floats]
Cost = Callable[[DuelState, Ints], Floats]


def _redrawn(
    state: DuelState, rng: np.random.Generator, draw: Draw, cost: Cost, told: bool
) -> tuple[Ints, Ints]:
    """The best of one draw, and the best of further draws until it is another.

    Where another is too rare to wait for, it is drawn from what the waiting would end in, rivals in
    proportion to their chance of beating the leader, which is about exp(-cost).
    """
    allowed = playable(state, told)
    leader = argmax(draw(state, rng, state.rows), allowed, rng)
    challenger, same = leader.copy(), state.rows
    for _ in range(REDRAWS):
        challenger[same] = argmax(draw(state, rng, same), allowed[same], rng)
        same = np.flatnonzero(challenger == leader)
        if not len(same):
            return leader, challenger
    gumbel = rng.gumbel(size=allowed.shape)  # the largest of -cost + gumbel is drawn as exp(-cost)
    rare = argmax(gumbel - cost(state, leader), without(allowed, leader), rng)
    return leader, np.where(challenger == leader, rare, challenger)


def _pair_cost(state: DuelState, leader: Ints) -> Floats:
    """Nats (R, K) in the games of each against leader that say it loses."""
    ahead = np.maximum(rates(state)[state.rows, leader], 0.5)
    return np.asarray(state.count[state.rows, leader] * kl_half(ahead))


def _strength_cost(state: DuelState, leader: Ints) -> Floats:
    """Half the squared distance (R, K) from leader in posterior deviations."""
    theta, spread, rows = state.model.theta, state.model.spread, state.rows
    gap = np.maximum(theta[rows, leader][:, None] - theta, 0.0)
    return np.asarray(0.5 * gap**2 / (spread + spread[rows, leader][:, None]))


def _copeland(state: DuelState, rng: np.random.Generator, rows: Ints) -> Floats:
    return (beta_draw(state, rng, rows) > 0.5).sum(2).astype(float)


def _strengths(state: DuelState, rng: np.random.Generator, rows: Ints) -> Floats:
    theta = state.model.theta[rows]
    return theta + rng.standard_normal(theta.shape) * np.sqrt(state.model.spread[rows])
