"""The model that guides a duel: strengths, and how far pairs may deviate from them.

It decides which pair is worth playing and how large the bets are. Nothing here affects validity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimand.statistics import bradley_terry
from optimand.statistics.divergence import sigmoid

__all__ = ["DEVIANT", "DuelModel"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Pseudo-comparisons of shrinkage towards the strengths: 1.5 is "anything goes", 400 "transitive".
PRECISIONS = np.array([1.5, 5.0, 20.0, 80.0, 400.0])
PRIOR = np.array([0.35, 0.25, 0.15, 0.15, 0.1])
# Below this precision strengths do not explain who beats whom.
DEVIANT = 10.0
RIDGE = 1.0


class DuelModel:
    """Bradley-Terry strengths with deviations: P_ij ~ Beta, mean sigmoid(theta_i - theta_j).

    theta (R, K): ridge strengths; spread (R, K): posterior variance of each, given the others.
    The precision c of the Beta is unknown: `belief` (R, C) weighs the values `precisions` (C,) by
    how well each predicted past outcomes (prequential Bayes), so a cyclic pool is recognised.
    dispersion (R,), in (0, 1], is the mean of (2y - 1)^2: 1 for wins and losses, less with ties or
    graded scores, which carry more information per game (quasi-likelihood, Wedderburn 1974).
    magnitude (R,) is the mean of |2y - 1|, `seen` the number of outcomes that both rest on.
    With `features` (K, d), theta = X beta. With `trust`, pairs are taken not to deviate.
    """

    def __init__(
        self, reps: int, arms: int, features: Floats | None = None, trust: bool = False
    ) -> None:
        self.features = features
        self.theta: Floats = np.zeros((reps, arms))
        self.spread: Floats = np.full((reps, arms), 1.0 / RIDGE)
        dim = 0 if features is None else features.shape[1]
        self.beta: Floats = np.zeros((reps, dim))
        self.precisions: Floats = PRECISIONS[-1:] if trust else PRECISIONS
        self.belief: Floats = np.tile(np.ones(1) if trust else PRIOR, (reps, 1))
        self.dispersion: Floats = np.ones(reps)
        self.magnitude: Floats = np.ones(reps)
        self.seen = 0

    def select(self, keep: Bools) -> None:
        """Keep only the replications where `keep` (R,) is true."""
        self.theta, self.spread = self.theta[keep], self.spread[keep]
        self.beta, self.belief = self.beta[keep], self.belief[keep]
        self.dispersion, self.magnitude = self.dispersion[keep], self.magnitude[keep]

    @property
    def size(self) -> Floats:
        """What |2y - 1| typically is (R,), in (0, 1], as weighed by its square."""
        return np.asarray(np.clip(self.dispersion / self.magnitude, 1e-3, 1.0))

    @property
    def deviant(self) -> Bools:
        """Whether strengths are believed not to explain the wins (R,)."""
        return np.asarray(self.belief[:, self.precisions < DEVIANT].sum(1) > 0.5)

    def logit(self, i: Ints, j: Ints) -> Floats:
        """Model logit (R,) of i beating j."""
        rows = np.arange(len(i))
        return np.asarray(self.theta[rows, i] - self.theta[rows, j])

    def guesses(self, i: Ints, j: Ints, wins: Floats, played: Floats) -> Floats:
        """Predicted score (R, C) of i against j under each precision, given the pair's record."""
        mean = np.clip(sigmoid(self.logit(i, j)), 1e-4, 1.0 - 1e-4)
        prior = self.precisions * self.dispersion[:, None]
        return np.asarray((wins[:, None] + prior * mean[:, None]) / (played[:, None] + prior))

    def learn(self, guesses: Floats, y: Floats) -> None:
        """Update belief and dispersion: `guesses` (R, C) were made before outcome y (R,)."""
        self.seen += 1
        self.dispersion += ((2.0 * y - 1.0) ** 2 - self.dispersion) / (self.seen + 4.0)
        self.magnitude += (np.abs(2.0 * y - 1.0) - self.magnitude) / (self.seen + 4.0)
        self.dispersion = np.maximum(self.dispersion, 1e-3)
        self.magnitude = np.maximum(self.magnitude, 1e-3)
        if len(self.precisions) == 1:
            return
        y = y[:, None]
        fit = (y * np.log(guesses) + (1.0 - y) * np.log1p(-guesses)) / self.dispersion[:, None]
        belief = self.belief * np.exp(fit - fit.max(1, keepdims=True))
        # The floor lets the belief recover quickly if the pool turns out otherwise.
        self.belief = np.maximum(belief / belief.sum(1, keepdims=True), 1e-12)

    def refit(self, score: Floats, count: Floats, a: Ints, b: Ints) -> None:
        """Update the strengths after one more outcome between a and b (R,); mostly O(K)."""
        ridge = RIDGE * self.dispersion
        if self.features is not None:
            self.beta, hessian = bradley_terry.fit_linear(
                self.features, score, count, ridge, start=self.beta, steps=1
            )
            self.theta = self.beta @ self.features.T
            cover = ((self.features @ np.linalg.inv(hessian)) * self.features).sum(-1)
            self.spread = self.dispersion[:, None] * cover
        elif self.seen % self.theta.shape[1] == 0:
            self.theta, curvature = bradley_terry.newton_step(self.theta, score, count, ridge)
            self.spread = self.dispersion[:, None] / curvature
        else:
            rows = np.arange(len(a))
            for who in (a, b):
                value, curve = bradley_terry.coordinate_step(self.theta, score, count, who, ridge)
                self.theta[rows, who] = value
                self.spread[rows, who] = self.dispersion / curve

    def effect(self, k: Ints, j: Ints) -> tuple[Floats, Floats]:
        """Mean and deviation (R,) of the bet worth placing on k against j, as a logit.

        The best bet is E[z] / E[z^2] for z = 2y - 1, hence the division by the dispersion.
        """
        rows = np.arange(len(k))
        share = self.dispersion
        best = np.tanh(0.5 * self.logit(k, j)) / share
        pair = 4.0 * share / np.exp(self.belief @ np.log(self.precisions))
        variance = pair + self.spread[rows, k] + self.spread[rows, j]
        return 2.0 * np.arctanh(np.clip(best, -0.999, 0.999)), np.sqrt(variance) / share

    def sample_precision(self, rng: np.random.Generator) -> Floats:
        """Draw one precision per replication (R,) from the belief, in games of this duel."""
        below = self.belief.cumsum(1) < rng.random((len(self.belief), 1))
        index = np.minimum(below.sum(1), len(self.precisions) - 1)
        return np.asarray(self.precisions[index] * self.dispersion)

    def against(
        self, who: Ints, score: Floats, count: Floats, more: Floats
    ) -> tuple[Floats, Floats]:
        """Posterior mean and deviation (R, K) of every candidate's win rate against who (R,).

        `more` (R, K) counts games still in flight: they shrink the deviation, not the mean.
        """
        rows = np.arange(len(who))
        share = self.dispersion[:, None, None]
        played = count[rows, who]
        lost = played - score[rows, who]
        mean = sigmoid(self.theta - self.theta[rows, who][:, None])
        drift = (mean * (1.0 - mean)) ** 2 * (self.spread + self.spread[rows, who][:, None])
        c = self.precisions * share
        p = (lost[..., None] + c * mean[..., None]) / (played[..., None] + c)
        total = (played + more)[..., None] + c
        variance = share * p * (1.0 - p) / (total + share) + (c / total) ** 2 * drift[..., None]
        weight = self.belief[:, None, :]
        return (weight * p).sum(-1), np.sqrt((weight * variance).sum(-1))
