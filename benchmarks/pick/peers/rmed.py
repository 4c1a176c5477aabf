"""Relative minimum empirical divergence: Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1-3.

Constants and order of cases follow the paper and the authors' code: f(K) = 0.3 K^1.01, alpha = 3.
Where the rule would play its best candidate against itself until ln t has grown enough for another
to be worth a look, games that cost no regret, it looks at that other one at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from benchmarks.pick.peers.common import argmax, playable, rates, without
from benchmarks.pick.peers.uniform import round_robin
from numpy.typing import NDArray

from optimand.statistics.divergence import kl_half
from optimand.statistics.duel import DuelState

__all__ = ["Rmed"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WEIGHT, POWER, ALPHA = 0.3, 1.01, 3.0


@dataclass(frozen=True)
class Rmed:
    """A sampler. Version 1 meets the likely best; 2 also whoever tells most per unit of regret."""

    version: Literal[1, 2] = 1
    told: bool = False

    def __call__(self, state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Sweep over all that may still be best; each meets an opponent likely to beat it."""
        seen, allowed = rates(state), playable(state, self.told)
        loss = np.where(seen < 0.5, state.count * kl_half(seen), 0.0).sum(2)
        best = argmax(-loss, allowed, rng)
        due = _sweep(state, loss, allowed, best)
        drawn = argmax(np.zeros(loss.shape), due, rng)
        idle = (drawn == best) & ~_beaten(seen, best).any(1)
        who = np.where(idle, argmax(-loss, without(allowed, best), rng), drawn)
        opponent = self._opponent(state, rng, seen, who, best)
        a, b = round_robin(state, rng)
        log_log = math.log(max(math.log(state.issued + 3), 1.0))
        behind = state.count[state.rows, a, b] < (1.0 if self.version == 1 else ALPHA * log_log)
        state.memo["rmed last"] = np.where(behind, -1, drawn)
        return np.where(behind, a, who), np.where(behind, b, opponent)

    def _opponent(
        self, state: DuelState, rng: np.random.Generator, seen: Floats, who: Ints, best: Ints
    ) -> Ints:
        rows, beaten = state.rows, _beaten(seen, who)
        strongest = argmax(-seen[rows, who], without(np.ones_like(beaten), who), rng)
        meets_best = (best != who) & (beaten[rows, best] | ~beaten.any(1))
        simple = np.where(meets_best, best, strongest)
        if self.version == 1:
            return simple
        telling, games = _cheapest(seen, who, best), state.count[rows, who]
        log_log = math.log(max(math.log(state.issued + 3), 1.01))
        starved = beaten[rows, best] & (games[rows, best] <= games[rows, telling] / log_log)
        return np.where(beaten[rows, telling] & ~starved, telling, simple)


def _sweep(state: DuelState, loss: Floats, allowed: Bools, best: Ints) -> Bools:
    """Who is still due in this sweep (R, K), after the bookkeeping for the last draw.

    A candidate enters the next sweep once it is not waiting in this one and its empirical
    divergence exceeds the best's by at most ln t + f(K).
    """
    rows, memo = state.rows, state.memo
    waiting = np.array(memo.get("rmed waiting", allowed), bool)
    coming = np.asarray(memo.get("rmed coming", np.zeros_like(allowed)), bool)
    last = np.asarray(memo.get("rmed last", np.full(len(rows), -1)), np.int64)
    drew = last >= 0
    waiting[rows[drew], last[drew]] = False
    edge = math.log(state.issued + 1) + WEIGHT * state.arms**POWER
    likely = loss - loss[rows, best][:, None] <= edge
    coming = coming | (drew[:, None] & ~waiting & likely)
    waiting &= allowed
    over = ~waiting.any(1)
    following = coming & allowed
    following[rows, best] |= ~following.any(1)
    waiting = np.where(over[:, None], following, waiting)
    memo["rmed waiting"], memo["rmed coming"] = waiting, coming & ~over[:, None]
    return waiting


def _beaten(seen: Floats, who: Ints) -> Bools:
    """Opponents (R, K) observed to beat who (R,), or to be level with it."""
    return without(seen[np.arange(len(who)), who] <= 0.5, who)


def _cheapest(seen: Floats, who: Ints, best: Ints) -> Ints:
    """The opponent (R,) with least regret per nat against who; best where nobody beats it."""
    rows = np.arange(len(who))
    regret = np.maximum(seen[rows, best, who][:, None] + seen[rows, best] - 1.0, 0.01)
    worth = np.maximum(kl_half(seen[rows, who]), 1e-12)
    price = np.where(seen[rows, who] < 0.5, regret / worth, np.inf)
    price[rows, best] = np.minimum(price[rows, best], 1e17)
    return np.asarray(price.argmin(1))
