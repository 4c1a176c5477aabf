"""Evidence against "j is the best": e-processes fed by bets fixed before each outcome.

Condorcet winner: a candidate that nobody beats more than half of the time. Under "j is it", every
factor multiplied into j's evidence has mean at most 1, so that evidence ever exceeds 1/delta with
probability at most delta (Ville). Rejecting all but one therefore errs only if the one true winner
is rejected: no union bound over candidates.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.betting import (
    bet_factor,
    cap_bet,
    effect_prior,
    effective_wins,
    predict,
)
from optimand.statistics.duel_model import DuelModel
from optimand.statistics.levels import MAIN_SHARE, split

__all__ = ["DuelEvidence"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EFFECTS = effect_prior()
# A capped bet lands on its threshold only up to rounding.
ROUNDING = 1e-9


class DuelEvidence:
    """Log evidence of R replications with K candidates, and the thresholds it must reach.

    log_pair (R, K, K): [j, k] is what k's games against j say against "j is best", which is also
    direct evidence that k beats j; log_e (R, K) is its sum over k and peak (R, K) its maximum so
    far. log_near (R, K, K): [j, k] is evidence against "j beats k by indifference or more" (only
    with indifference > 0). energy (R, K, K) sums (2y - 1)^2 over the games of a pair.

    Thresholds in nats. direct=False: `need_elimination` = ln(1/delta), no union bound. direct=True:
    a winner needs `need_direct` = ln(K/delta') against each rival, which proves it the Condorcet
    winner without assuming that one exists (delta' = 0.8 delta; the rest pays for "no winner").
    With indifference, 0.2 of the level pays for the claim "within indifference of the best". With
    a baseline, 0.2 pays for the K - 1 claims "k beats the baseline", each by its own games against
    it; `proven` (R, K) says which hold. With both, each kind has 0.1.
    """

    def __init__(
        self,
        reps: int,
        arms: int,
        delta: float,
        direct: bool,
        indifference: float,
        baseline: int | None = None,
    ) -> None:
        self.direct = direct
        self.baseline = baseline
        self.indifference = indifference
        self.log_pair: Floats = np.zeros((reps, arms, arms))
        self.log_e: Floats = np.zeros((reps, arms))
        self.peak: Floats = np.zeros((reps, arms))
        self.energy: Floats = np.zeros((reps, arms, arms))
        self.log_near: Floats | None = np.zeros((reps, arms, arms)) if indifference > 0 else None
        winner = delta * MAIN_SHARE if direct else delta
        exact, other = split(winner, (indifference > 0) + (baseline is not None))
        self.need_direct = math.log(arms / exact)
        rivals = arms if direct else arms - 1
        self.need_near = math.log(rivals / other) if indifference > 0 else math.inf
        self.need_better = math.log((arms - 1) / other) if baseline is not None else math.inf
        self.proven: Bools = np.zeros((reps, arms), bool)
        self.need_elimination = math.log(1.0 / (delta - winner if direct else exact))

    def select(self, keep: Bools) -> None:
        """Keep only the replications where `keep` (R,) is true."""
        self.log_pair, self.log_e = self.log_pair[keep], self.log_e[keep]
        self.peak, self.energy = self.peak[keep], self.energy[keep]
        self.proven = self.proven[keep]
        if self.log_near is not None:
            self.log_near = self.log_near[keep]

    @property
    def alive(self) -> Bools:
        """Candidates (R, K) whose evidence never reached the elimination threshold."""
        return np.asarray(self.peak < self.need_elimination - ROUNDING)

    def beaten(self) -> Bools:
        """Direct certificates (R, K, K): [j, k] says k beats j, at the direct threshold."""
        return np.asarray(self.log_pair >= self.need_direct - ROUNDING)

    def not_better(self, k: Ints | None = None) -> Floats:
        """Log evidence that j is not best by more than indifference over k.

        (R, K, K) indexed [j, k], or (R, K) indexed [j] for one k (R,) per replication. Under "j is
        best and beats k by indifference or more", games against others and the near bets are both
        fair or worse, so their product is an e-process.
        """
        assert self.log_near is not None
        pair, near, others = self.log_pair, self.log_near, self.log_e[:, :, None]
        if k is not None:
            rows = np.arange(len(k))
            pair, near, others = pair[rows, :, k], near[rows, :, k], self.log_e
        return np.asarray(near if self.direct else others - pair + near)

    def observe(
        self, model: DuelModel, a: Ints, b: Ints, record: tuple[Floats, Floats, Floats]
    ) -> None:
        """Bet on one outcome of a against b (R,).

        `record` = (total, guess, y): the sum of 2y - 1 over earlier games of the pair and the
        predicted score, both of a and known before the outcome, and a's score y, each (R,).
        """
        total, guess, y = record
        rows = np.arange(len(a))
        up = guess >= 0.5
        k, j = np.where(up, a, b), np.where(up, b, a)
        q = self._bet(model, k, j, np.where(up, total, -total))
        gain = np.log(bet_factor(q, np.where(up, y, 1.0 - y)))
        self.log_pair[rows, j, k] += gain
        self.log_e[rows, j] += gain
        self.peak[rows, j] = np.maximum(self.peak[rows, j], self.log_e[rows, j])
        if self.baseline is not None:
            self.proven |= self.log_pair[:, self.baseline] >= self.need_better - ROUNDING
        if self.log_near is not None:
            self._observe_near(model, a, b, guess, y)
            self._observe_near(model, b, a, 1.0 - guess, 1.0 - y)
        power = (2.0 * y - 1.0) ** 2
        self.energy[rows, a, b] += power
        self.energy[rows, b, a] += power

    def _bet(self, model: DuelModel, k: Ints, j: Ints, total: Floats) -> Floats:
        rows = np.arange(len(k))
        wins, losses = effective_wins(total, self.energy[rows, k, j])
        q = predict(EFFECTS, wins, losses, *model.effect(k, j))
        if self.direct:
            missing = self.need_direct - self.log_pair[rows, j, k]
        else:
            missing = self.need_elimination - self.log_e[rows, j]
        if self.baseline is not None:
            better = self.need_better - self.log_pair[rows, j, k]
            missing = np.where(j == self.baseline, np.maximum(missing, better), missing)
        return cap_bet(q, np.where(missing > 0, missing, math.inf), model.size)

    def _observe_near(self, model: DuelModel, j: Ints, k: Ints, guess: Floats, y: Floats) -> None:
        assert self.log_near is not None
        edge = 0.5 + self.indifference
        bet = (edge - np.minimum(guess, edge)) / (edge * (1.0 - edge) * model.dispersion)
        bet = np.minimum(bet, 0.98 / (1.0 - edge))
        self.log_near[np.arange(len(j)), j, k] += np.log1p(bet * (edge - y))
