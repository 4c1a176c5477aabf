"""One-sided bets: turn a stream of scores into evidence against "the mean is at most one half".

Before each score y in [0, 1] a predicted win rate q >= 1/2 is fixed; the evidence is multiplied by
1 + (2q - 1)(2y - 1). While the mean of y given the past is at most 1/2 every factor has mean at
most 1, whatever the scores look like, whoever chose what to sample and however wrong q is. By
Ville's inequality the product ever exceeds 1/delta with probability at most delta.

Source: Shafer 2021 (testing by betting); Waudby-Smith & Ramdas 2024, Section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.divergence import sigmoid, softplus

__all__ = ["EffectPrior", "bet_factor", "cap_bet", "effect_prior", "effective_wins", "predict"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EffectPrior:
    """Prior over positive logit effects on a grid of M points.

    `logits` (M,) and `log_weight` (M,, log of weights that sum to 1); `win` and `loss` (M,) are
    the log-likelihoods of one win and one loss at each point; `rate` (M,) the win rate.
    """

    logits: Floats
    log_weight: Floats
    win: Floats
    loss: Floats
    rate: Floats


def effect_prior(
    scales: tuple[float, ...] = (0.25, 0.8),
    shares: tuple[float, ...] = (0.6, 0.4),
    size: int = 30,
    low: float = 0.03,
    high: float = 5.0,
) -> EffectPrior:
    """Mixture of half-normal priors (standard deviations `scales` in logits) on a log-spaced grid.

    A scale of 0.25 expects the better one to win about 55 % of the time; 0.8 allows for 80 %.
    """
    x = np.exp(np.linspace(np.log(low), np.log(high), size))
    weight = np.zeros(size)
    for scale, share in zip(scales, shares, strict=True):
        part = np.exp(-0.5 * (x / scale) ** 2) * np.gradient(x)
        weight += share * part / part.sum()
    log_weight = np.log(weight / weight.sum() + 1e-300)
    return EffectPrior(x, log_weight, -softplus(-x), -softplus(x), sigmoid(x))


def predict(
    prior: EffectPrior,
    wins: ArrayLike,
    losses: ArrayLike,
    center: ArrayLike | None = None,
    width: ArrayLike = 1.0,
) -> Floats:
    """Predictive win rate (R,) given that the effect is positive; always in (1/2, 1).

    `wins`, `losses` (R,) real counts >= 0. With `center` (R,), the logit a model expects, the
    prior is tilted by a normal factor exp(-((x - center) / width)^2 / 2): the model speeds the
    bet up when right and costs growth, never validity, when wrong.
    """
    wins, losses = np.asarray(wins, float), np.asarray(losses, float)
    log_post = prior.log_weight + wins[..., None] * prior.win + losses[..., None] * prior.loss
    if center is not None:
        gap = (prior.logits - np.asarray(center)[..., None]) / np.asarray(width)[..., None]
        log_post = log_post - 0.5 * gap * gap
    weight = np.exp(log_post - log_post.max(-1, keepdims=True))
    return np.asarray((weight @ prior.rate) / weight.sum(-1))


def effective_wins(total: ArrayLike, energy: ArrayLike) -> tuple[Floats, Floats]:
    """Wins and losses (same shape) that make `predict` bet well on ties and graded scores.

    With z = 2y - 1, `total` is the sum of z and `energy` the sum of z^2. Matching the first two
    terms of ln(1 + b z) to a win-loss record gives wins - losses = total and wins + losses =
    energy: ties vanish, and small graded differences are bet on at the Kelly rate E[z] / E[z^2].
    """
    total, energy = np.asarray(total, float), np.asarray(energy, float)
    return np.maximum(0.5 * (energy + total), 0.0), np.maximum(0.5 * (energy - total), 0.0)


def bet_factor(q: ArrayLike, y: ArrayLike) -> Floats:
    """Evidence factor 1 + (2q - 1)(2y - 1) for predicted win rate q and score y in [0, 1]."""
    return np.asarray(1.0 + (2.0 * np.asarray(q) - 1.0) * (2.0 * np.asarray(y) - 1.0))


def cap_bet(q: ArrayLike, missing: ArrayLike, size: ArrayLike = 1.0) -> Floats:
    """Lower q so that a win brings exactly `missing` nats: never bet more than is needed.

    A larger bet would overshoot the threshold on a win and lose more on a loss. `size`, in (0, 1],
    is what |2y - 1| typically is: 1 for wins and losses, less for graded scores.
    """
    enough = np.expm1(np.clip(missing, 0.0, 50.0)) / np.asarray(size, float)
    return np.asarray(np.minimum(q, 0.5 + 0.5 * enough))
