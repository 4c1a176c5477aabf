"""Bets that paired differences exceed a margin on average, for all pairs of candidates at once.

For each pair a mixture of bets of fixed relative size is kept, weighed by how each would have done;
their weighted mean is the next bet. The natural size of a bet is the inverse of the size of the
differences, which is learnt. Without replacement, what is left of the population says how small
the mean can still be, and bets grow as it shrinks.
Source: Waudby-Smith & Ramdas 2020 (arXiv:2006.04347) and 2024 (arXiv:2010.09686).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["PairedBets"]

Floats = NDArray[np.float64]

SIZES: Floats = np.array([0.03, 0.08, 0.16, 0.3, 0.5, 0.75, 0.95])
WEIGHTS: Floats = np.array([1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 1.0])
BOLDEST = 0.95
"""The largest share of the pot at stake in the worst case."""
PRIOR = 0.3
"""Differences of size 1 that the learnt size begins with, in number."""
LEAST = 0.02
"""Nats that a bet aims at, at least: smaller ones would creep up to the threshold."""


class PairedBets:
    """Bets on differences d (K, K) in [-1, 1], [k, j] = score of k minus score of j.

    With `batch`, of as many races side by side: every (K, K) below is then (*batch, K, K).

    The claim that [k, j] is bet against: d is at most -margin on average. `population` is the
    number of examples when they are all that matters, None when they are a sample. total, squares
    (K, K): sums of d and d^2 over the examples that both ran, `shared` (K, K) in number. power,
    sizes (K, K): what bets learn the size of the differences from; wealth (K, K, 7): log weights of
    the bets, by how each would have done.
    """

    def __init__(
        self,
        arms: int,
        population: int | None,
        margin: float = 0.0,
        batch: tuple[int, ...] = (),
    ) -> None:
        self.population = population
        self.margin = margin
        self.seen = 0
        shape = (*batch, arms, arms)
        self.total: Floats = np.zeros(shape)
        self.squares: Floats = np.zeros(shape)
        self.shared: Floats = np.zeros(shape)
        self.power: Floats = np.full(shape, PRIOR)
        self.sizes: Floats = np.full(shape, PRIOR)
        self.wealth: Floats = np.tile(np.log(WEIGHTS / WEIGHTS.sum()), (*shape, 1))

    def select(self, keep: NDArray[np.bool_]) -> None:
        """Keep only the races where `keep` (R,) is true."""
        for name in ("total", "squares", "shared", "power", "sizes", "wealth"):
            setattr(self, name, getattr(self, name)[keep])

    def step(self, gain: Floats, missing: Floats) -> Floats:
        """Log growth (K, K) by the differences `gain` (K, K); 0 where they are NaN.

        `missing` (broadcast to (K, K)): nats after which a bet need not grow. inf where the claim
        has become impossible: what is left cannot make up for what was seen.
        """
        means, share = self._claimed()
        known = ~np.isnan(gain)  # nothing changes for the others, which are most of many
        mean, wealth, power, sizes = (
            each[known] for each in (means, self.wealth, self.power, self.sizes)
        )
        typical = power / sizes
        cap = np.where(mean > -1.0, BOLDEST / np.maximum(1.0 + mean, 1e-9), np.inf)
        each = np.minimum(SIZES * (share / typical)[..., None], cap[..., None])
        weight = np.exp(wealth - wealth.max(-1, keepdims=True))
        bet = (weight * each).sum(-1) / weight.sum(-1)
        need = np.clip(np.broadcast_to(missing, gain.shape)[known], LEAST, 50.0)
        enough = np.expm1(need) / np.maximum(typical - mean, 1e-9)
        bet = np.minimum(bet, np.minimum(enough, cap))
        excess = gain[known] - mean
        impossible = (mean <= -1.0) & (excess > 1e-12)
        growth = np.zeros(gain.shape)
        growth[known] = np.where(impossible, np.inf, np.log1p(bet * excess))
        self.wealth[known] = wealth + np.log1p(each * excess[..., None])
        self.power[known] = power + excess**2
        self.sizes[known] = sizes + np.abs(excess)
        self._note(gain, known)
        return growth

    def _claimed(self) -> tuple[Floats, float]:
        """The largest mean (K, K) that the claim leaves to come, and how far bets have grown."""
        if self.population is None:
            return np.full(self.total.shape, -self.margin), 1.0
        left = max(self.population - self.seen, 1)
        return -(self.population * self.margin + self.total) / left, self.population / left

    def _note(self, gain: Floats, known: NDArray[np.bool_]) -> None:
        self.seen += 1
        self.shared += known
        self.total[known] += gain[known]
        self.squares[known] += gain[known] ** 2
