"""What the peers' samplers share.

Every sampler maps the state of a duel to a pair (a, b), each (R,). A rule that would play a
candidate against itself, which costs no regret but tells nothing, plays its next best opponent
instead. With `told`, a sampler is also told which candidates our evidence has disproved already,
and leaves those out: no longer the published rule but a mixture of it with ours. All of this
favours the peer.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.pick.play import Player
from benchmarks.pick.pools import Pool
from numpy.typing import NDArray

from optimand.statistics.duel import DuelOptions, DuelState, Sampler, Stopper
from optimand.statistics.duel_stoppers import betting_stop

__all__ = ["argmax", "beta_draw", "duel", "playable", "rates", "without"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def duel(
    sampler: Sampler, stopper: Stopper = betting_stop, **options: object
) -> Callable[[Pool, int, float], Player]:
    """A strategy made of a sampler and a stopper; with our stopper, its extra check is off.

    The check makes runs longer, so leaving it out favours the peer.
    """

    def make(pool: Pool, reps: int, delta: float) -> Player:
        features = pool.features if options.get("space") == "linear" else None
        chosen = DuelOptions(
            delta=delta, check=None, sampler=sampler, stopper=stopper, features=features, **options
        )
        return DuelState(pool.size, reps, chosen)

    return make


def rates(state: DuelState, unplayed: float = 0.5) -> Floats:
    """Observed win rates (R, K, K) of row against column."""
    return np.where(state.count > 0, state.score / np.maximum(state.count, 1.0), unplayed)


def argmax(key: Floats, allowed: Bools, rng: np.random.Generator) -> Ints:
    """Index (R,) of the largest key (R, K) among those allowed, ties broken at random."""
    key = np.where(allowed, key, -np.inf)
    tied = (key == key.max(1, keepdims=True)) & allowed
    return np.asarray((tied * rng.uniform(0.5, 1.0, key.shape)).argmax(1))


def playable(state: DuelState, told: bool) -> Bools:
    """Who may be played (R, K): everybody, or with `told` those not disproved."""
    return state.alive if told else np.ones_like(state.alive)


def without(allowed: Bools, who: Ints) -> Bools:
    """A copy of allowed (R, K) that excludes who (R,)."""
    out = allowed.copy()
    out[np.arange(len(who)), who] = False
    return out


def beta_draw(
    state: DuelState, rng: np.random.Generator, rows: Ints | slice = slice(None)
) -> Floats:
    """Win rates (R, K, K) drawn from Beta(wins + 1, losses + 1), consistent for both sides."""
    score, count = state.score[rows], state.count[rows]
    upper = np.triu_indices(state.arms, 1)
    drawn = np.full(score.shape, 0.5)
    won = score[:, *upper]
    rates = rng.beta(won + 1.0, count[:, *upper] - won + 1.0)
    drawn[:, *upper] = rates
    drawn[:, upper[1], upper[0]] = 1.0 - rates
    return drawn
