"""Explore, then verify: Karnin 2016, "Verification based solution for structured MAB problems".

Explore at constant confidence to guess the best candidate and, for each other one, who beats it
most clearly; then verify the guess on fresh comparisons at confidence 1 - delta; when that fails,
explore on at halved error. Accepting a wrong guess needs exploration to err (probabilities .3, .15,
... sum to less than 1) and then verification to err (delta each), so errors stay below delta.

Both parts are as good as we can make them: exploration samples as our own top-two rule does, and
bets use our model, which has seen all games so far.
"""

from __future__ import annotations

import math

import numpy as np
from benchmarks.pick.peers.common import argmax, without
from benchmarks.pick.pools import Pool
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.betting import bet_factor, cap_bet, effect_prior, effective_wins, predict
from optimand.statistics.divergence import kl_half
from optimand.statistics.duel import DuelOptions, DuelState

__all__ = ["ExploreThenVerify"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_ERROR = 0.3
PATIENCE, SLACK = 4.0, 50.0  # verification may cost this multiple of its forecast, plus this
HOPELESS = -2.3  # evidence for a rival (a factor of 10) that ends a verification
PREFER_GUESS = 1.3  # another beater must be this much faster than the guess itself
EFFECTS = effect_prior()


class ExploreThenVerify:
    """R replications; each is exploring (guess -1) or verifying its guess."""

    def __init__(self, pool: Pool, reps: int, delta: float) -> None:
        size = pool.size
        # Only its counts and its model are used; at this delta it never stops by itself.
        self.state = DuelState(size, reps, DuelOptions(delta=1e-300, check=None))
        self.need = math.log(1.0 / delta)
        self.level: Floats = np.full(reps, math.log(1.0 / FIRST_ERROR))
        self.explored: Floats = np.zeros((reps, size))
        self.verified: Floats = np.zeros((reps, size))
        self.guess: Ints = np.full(reps, -1)
        self.beater: Ints = np.zeros((reps, size), np.int64)
        self.budget: Floats = np.zeros(reps)
        self.done: Bools = np.zeros(reps, bool)
        self.answer: Ints = np.full(reps, -1)

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Exploring: beater and challenger. Verifying: the rival least disproved and its beater."""
        alive = self.explored < self.level[:, None]
        theta = self.state.model.theta
        leader = argmax(theta, np.where(alive.any(1)[:, None], alive, True), rng)
        others = without(alive, leader)
        draw = theta + rng.standard_normal(theta.shape) * np.sqrt(self.state.model.spread)
        coin = rng.random((len(leader), 1)) < 0.5
        challenger = argmax(np.where(coin, -self.explored, draw), others, rng)
        rows, verifying = self.state.rows, self.guess >= 0
        weakest = np.argmin(np.where(self._open(), self.verified, np.inf), axis=1)
        j = np.where(verifying, weakest, challenger)
        k = np.where(verifying, self.beater[rows, weakest], self._beaters(leader)[rows, challenger])
        return k, j

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None:
        """Bet on b losing, learn, and change phase where it is time."""
        k, j, y = np.asarray(a), np.asarray(b), np.asarray(y, float)
        rows, verifying = self.state.rows, self.guess >= 0
        seen = np.where(verifying, self.verified[rows, j], self.explored[rows, j])
        q = self._predict(k, j)
        missing = np.where(verifying, self.need, self.level) - seen
        gain = np.log(bet_factor(cap_bet(q, np.where(missing > 0, missing, np.inf)), y))
        self.explored[rows, j] += np.where(verifying, 0.0, gain)
        self.verified[rows, j] += np.where(verifying, gain, 0.0)
        self.budget -= verifying
        self.state.update(k, j, y)
        self._finish(rows, j, verifying)
        alive = self.explored < self.level[:, None] - 1e-9
        self._begin(~verifying & (alive.sum(1) <= 1), alive)

    def select(self, keep: Bools) -> None:
        for name in ("level", "explored", "verified", "guess", "beater", "budget", "done"):
            setattr(self, name, getattr(self, name)[keep])
        self.answer = self.answer[keep]
        self.state.select(keep)

    def _open(self) -> Bools:
        """Rivals (R, K) of the guess not yet disproved."""
        return without(self.verified < self.need - 1e-9, self.guess)

    def _predict(self, k: Ints, j: Ints) -> Floats:
        """Predicted win rate (R,) of k against j, at least 1/2."""
        state, rows = self.state, self.state.rows
        total = 2.0 * state.score[rows, k, j] - state.count[rows, k, j]
        wins, losses = effective_wins(total, state.evidence.energy[rows, k, j])
        return predict(EFFECTS, wins, losses, *state.model.effect(k, j))

    def _beaters(self, leader: Ints) -> Ints:
        """Who disproves each candidate fastest (R, K), the leader preferred."""
        rows, size = self.state.rows, self.state.arms
        rate = np.stack([self._rate(np.full(len(rows), j)) for j in range(size)], 2)
        rate[rows, leader] *= PREFER_GUESS
        rate[rows, leader] += 1e-9
        rate[:, np.arange(size), np.arange(size)] = -1.0
        return np.asarray(rate.argmax(1))

    def _rate(self, j: Ints) -> Floats:
        """Cautious nats per game (R, K) of each candidate against j."""
        state = self.state
        mean, spread = state.model.against(j, state.score, state.count, 0.0 * state.jitter)
        return np.asarray(kl_half(np.maximum(mean - 0.5 * spread, 0.5)))

    def _begin(self, ready: Bools, alive: Bools) -> None:
        """Start verifying the last candidate left, or the strongest when none is."""
        if not ready.any():
            return
        theta = self.state.model.theta
        best = np.where(alive.any(1), alive.argmax(1), theta.argmax(1))
        beater = self._beaters(best)
        self.guess = np.where(ready, best, self.guess)
        self.beater = np.where(ready[:, None], beater, self.beater)
        self.verified = np.where(ready[:, None], 0.0, self.verified)
        size, rows = self.state.arms, self.state.rows
        rate = [self._rate(np.full(len(rows), j))[rows, beater[:, j]] for j in range(size)]
        cost = self.need / np.maximum(np.stack(rate, 1), 1e-3)
        cost[rows, best] = 0.0
        self.budget = np.where(ready, PATIENCE * cost.sum(1) + SLACK, self.budget)

    def _finish(self, rows: Ints, j: Ints, verifying: Bools) -> None:
        """Accept the guess when all rivals are disproved; give it up when that looks hopeless."""
        accepted = verifying & ~self._open().any(1)
        self.done = self.done | accepted
        self.answer = np.where(accepted, self.guess, self.answer)
        spent = (self.budget <= 0) | (self.verified[rows, j] < HOPELESS)
        failed = verifying & ~accepted & spent
        self.level = np.where(failed, self.level + math.log(2.0), self.level)
        self.guess = np.where(failed, -1, self.guess)
