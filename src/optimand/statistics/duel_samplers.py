"""Which pair to play next: the default rule, top-two challengers guided by the model.

Source: top-two sampling (Russo 2016; Jourdan et al. 2022) with pairs as the queries; the beater of
each loser follows the closed-form optimal proportions of `lower_bound.unstructured`, where
candidates differ in price those that cost least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import kl_half, sigmoid
from optimand.statistics.duel_model import DEVIANT

if TYPE_CHECKING:
    from optimand.statistics.duel import DuelState

__all__ = ["top_two"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Another beater must be this much faster before it replaces the leader: twice where strengths
# explain the wins; where they do not, most losers have a faster beater, and the leader comes last.
LEADER_BONUS, LEADER_MALUS = 2.0, 0.5
# Games after which a beater is no longer judged by a draw: by its lower estimate where strengths
# explain the wins, so that no fluke is chased; by its mean where they do not.
EXPLORED, EXPLORED_DEVIANT = 15, 8


def top_two(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return (beater, challenger), both (R,).

    The challenger is, by a coin, the open candidate with least evidence against it or the one with
    the largest posterior draw. It meets its strongest beater: the one with the most evidence per
    comparison, or, where costs are known, per unit of cost. With nobody left to challenge, the
    leader meets the rival most likely to beat it: this exposes pools without a winner. With a
    baseline, every other pair is leader and baseline until somebody is proven better than it.
    """
    leader = state.leader
    against, open_ = _open(state, leader)
    free = np.where(open_, against, np.inf)
    if state.in_flight:
        free = _without_covered(state, leader, against, open_)
    challenger = _challenger(state, rng, free)
    beater = leader if state.evidence.direct else _beater(state, rng, leader, challenger)
    base = state.options.baseline
    if base is not None:
        meet = _meets(state, rng, leader, base)
        beater, challenger = np.where(meet, leader, beater), np.where(meet, base, challenger)
    idle = ~open_.any(1)
    if idle.any():
        rival = state.doubts(leader).argmax(1)
        return np.where(idle, rival, beater), np.where(idle, leader, challenger)
    return beater, challenger


def _meets(state: DuelState, rng: np.random.Generator, leader: Ints, base: int) -> Bools:
    """By a coin, leader against baseline (R,): only their own games prove that it is better."""
    unproven = ~state.evidence.proven.any(1) & (leader != base)
    return np.asarray(unproven & (rng.random(len(leader)) < 0.5))


def _open(state: DuelState, leader: Ints) -> tuple[Floats, Bools]:
    """Minus the evidence still missing against each candidate (R, K), and who may be challenged."""
    evidence, rows = state.evidence, state.rows
    if evidence.direct:
        left = evidence.need_direct - evidence.log_pair[rows, :, leader]
        open_ = left > 1e-9
    else:
        left = evidence.need_elimination - evidence.log_e
        open_ = evidence.alive
    if evidence.log_near is not None:
        near = evidence.need_near - evidence.not_better(leader)
        open_ = open_ & (near > 0)
        left = np.minimum(left, near)
    open_[rows, leader] = False
    return -left, open_


def _without_covered(state: DuelState, leader: Ints, against: Floats, open_: Bools) -> Floats:
    """Count on the evidence expected from games in flight; drop rivals for whom that is enough."""
    mean, _deviation = state.model.against(leader, state.score, state.count, 0.0 * against)
    rate = kl_half(np.maximum(1.0 - mean, 0.5)) / state.model.dispersion[:, None]
    expected = against + rate * state.pending.sum(1)
    free = np.where(open_ & (expected < 0), expected, np.inf)
    full = np.asarray(~np.isfinite(free).any(1))
    return np.where(full[:, None], np.where(open_, expected, np.inf), free)


def _challenger(state: DuelState, rng: np.random.Generator, free: Floats) -> Ints:
    """Coin-flip between least evidence and largest strength draw among finite entries of `free`."""
    theta = state.model.theta
    draw = theta + rng.standard_normal(theta.shape) * np.sqrt(state.model.spread)
    coin = rng.random((len(theta), 1)) < 0.5
    key = np.where(coin, state.jitter - free, draw)
    return np.asarray(np.where(np.isfinite(free), key, -np.inf).argmax(1))


def _beater(state: DuelState, rng: np.random.Generator, leader: Ints, j: Ints) -> Ints:
    """Beater (R,) of j with the most evidence for its cost; the leader is preferred or put last."""
    rows, model = state.rows, state.model
    share = model.dispersion[:, None]
    c = model.sample_precision(rng)[:, None]
    deviant = c < DEVIANT * share
    played = state.count[rows, j]
    total = played + c
    mean = sigmoid(model.theta - model.theta[rows, j][:, None])
    p = (played - state.score[rows, j] + c * mean) / total
    draw = p + rng.standard_normal(p.shape) * np.sqrt(share * p * (1.0 - p) / (total + share))
    price, caution = _prices(state, leader, j)
    known = np.where(deviant, p, np.minimum(draw, p - 0.5 * caution * np.sqrt(share / total)))
    draw = np.where(played >= np.where(deviant, EXPLORED_DEVIANT, EXPLORED), known, draw)
    draw[rows, leader] = p[rows, leader]
    rate = kl_half(np.clip(draw, 0.5, 1.0)) + state.jitter
    bonus = np.where(deviant[:, 0], LEADER_MALUS, LEADER_BONUS)
    rate[rows, leader] *= bonus
    rate = rate * np.where(deviant, 1.0, LEADER_BONUS ** (1.0 - caution)) / price
    rate[rows, leader] += 1e-8
    rate[rows, j] = -1.0
    return np.asarray(rate.argmax(1))


def _prices(state: DuelState, leader: Ints, j: Ints) -> tuple[Floats, Floats]:
    """What each candidate's comparison with j costs, and how wary to be of it; (R, K) each.

    A fluke that is followed wastes less where it costs less than the leader's game: by that share
    a beater's estimate is lowered less, and the leader is preferred less.
    """
    if state.costs is None:
        same = np.ones(state.jitter.shape)
        return same, same
    price = state.costs + state.costs[state.rows, j][:, None]
    return price, np.minimum(1.0, price / price[state.rows, leader][:, None])
