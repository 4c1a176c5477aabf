"""What a comparison can come out as: a table of probabilities for each pair.

One table serves every kind of judge (wins, ties, graded scores, averaged votes), so that the exact
information of a comparison, and with it the least number of comparisons, is known for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.divergence import sigmoid

__all__ = ["Judge", "coin", "graded", "information", "slot_biased", "with_ties"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Judge:
    """Scores `values` (V,), symmetric about 1/2, with probabilities `chance` (K, K, V)."""

    values: Floats
    chance: Floats

    @cached_property
    def rates(self) -> Floats:
        """Mean score (K, K) of the row against the column."""
        return np.asarray(self.chance @ self.values)

    @cached_property
    def _below(self) -> Floats:
        return np.asarray(self.chance.cumsum(-1)[..., :-1])

    def score(self, a: Ints, b: Ints, draw: Floats) -> Floats:
        """Scores (R,) of a against b for uniform draws (R,).

        The draw decides from the side of the lower index, so that swapping a and b swaps the score.
        """
        low, high = np.minimum(a, b), np.maximum(a, b)
        of_low = self.values[(self._below[low, high] <= draw[:, None]).sum(1)]
        return np.where(a == low, of_low, 1.0 - of_low)


def coin(rates: ArrayLike) -> Judge:
    """Row beats column with probability rates (K, K); no ties."""
    rates = np.asarray(rates, float)
    return Judge(np.array([0.0, 1.0]), np.stack([1.0 - rates, rates], -1))


def with_ties(rates: ArrayLike, share: ArrayLike) -> Judge:
    """A tie (score 1/2) with probability share, else a win with probability rates (K, K)."""
    rates = np.asarray(rates, float)
    share = np.broadcast_to(np.asarray(share, float), rates.shape)
    chance = np.stack([(1 - share) * (1 - rates), share, (1 - share) * rates], -1)
    return Judge(np.array([0.0, 0.5, 1.0]), chance)


def graded(means: ArrayLike, noise: float, steps: int = 40) -> Judge:
    """Scores 1/2 + (mean_a - mean_b) / 2 + normal noise, rounded to multiples of 1 / steps."""
    from scipy.stats import norm

    level = np.asarray(means, float)
    middle = 0.5 + 0.5 * (level[:, None] - level)
    values = np.linspace(0.0, 1.0, steps + 1)
    edges = 0.5 * (values[1:] + values[:-1])
    inner = norm.cdf((edges - middle[..., None]) / noise)
    ends = np.zeros((*middle.shape, 1)), np.ones((*middle.shape, 1))
    return Judge(values, np.diff(np.concatenate([ends[0], inner, ends[1]], -1), axis=-1))


def slot_biased(theta: ArrayLike, bias: float, *, both: bool) -> Judge:
    """A judge that adds `bias` logits to the answer shown first.

    both=False: one judgement in random order. both=True: one in each order, averaged; this is still
    one comparison (one example), but two calls.
    """
    theta = np.asarray(theta, float)
    gap = theta[:, None] - theta
    first, second = sigmoid(gap + bias), sigmoid(gap - bias)
    if not both:
        return coin(0.5 * (first + second))
    chance = [(1 - first) * (1 - second), first + second - 2 * first * second, first * second]
    return Judge(np.array([0.0, 0.5, 1.0]), np.stack(chance, -1))


def information(judge: Judge) -> Floats:
    """Nats (K, K) that one comparison tells on average against "row does not beat column".

    The smallest divergence from the scores of the pair to scores in [0, 1] with mean at most 1/2,
    which is max over bets b of the mean of ln(1 + b (y - 1/2)) (Honda & Takemura 2010); for wins
    and losses it is kl(p, 1/2). 0 where the row does not win.
    """
    spread = judge.values - 0.5
    bet = np.zeros(judge.rates.shape)
    low, high = bet.copy(), np.full_like(bet, 2.0 - 1e-9)
    for _ in range(60):
        bet = 0.5 * (low + high)
        slope = (judge.chance * spread / (1.0 + bet[..., None] * spread)).sum(-1)
        low, high = np.where(slope > 0, bet, low), np.where(slope > 0, high, bet)
    gain = (judge.chance * np.log1p(bet[..., None] * spread)).sum(-1)
    return np.where(judge.rates > 0.5 + 1e-12, gain, 0.0)
