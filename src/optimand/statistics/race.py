"""Racing by scores: every candidate still in the race sees the same examples.

Evidence that "j is best" is false: a product of bets on paired differences d = x_b - x_j against
the strongest other candidate b, named before the scores are seen. If j is best the mean of d is at
most 0, so the product exceeds 1/delta with probability at most delta (Ville). An error needs the
true best to be removed, so no correction for the number of candidates is due. When the examples
are the whole population, the past bounds what is left (see paired_bets).

With an indifference e, bets on d + e gather evidence against "j beats b by e or more" for every
pair. They take 0.2 of the error level, shared by the K - 1 possible answers b. With a baseline, the
bets on x_k - x_baseline are evidence that k is better than it; each k has a claim of its own, and
these K - 1 take 0.2 of the error level (0.1 each where there is an indifference too).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.levels import split
from optimand.statistics.paired_bets import PairedBets

__all__ = ["Race"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Race:
    """State of a race of `arms` candidates at error level `delta`.

    `population`: number of examples when they are all that matters, None when they are a sample.
    `indifference`, in [0, 1): the race also ends when nobody left beats the leader by this or more.
    `baseline`: index of the candidate that is named unless another is proven better, None without.
    `batch`: () for one race, as in production; (R,) for R races side by side, as in simulation.
    Then every (K,) below is (R, K), and `leader` and `finished` are arrays (R,).
    """

    def __init__(
        self,
        arms: int,
        delta: float = 0.05,
        population: int | None = None,
        indifference: float = 0.0,
        batch: tuple[int, ...] = (),
        baseline: int | None = None,
    ) -> None:
        if arms < 2:
            raise ValueError(f"{arms} candidate(s) given; a race needs at least 2.")
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta is {delta}; it must lie strictly between 0 and 1.")
        if not 0.0 <= indifference < 1.0:
            raise ValueError(f"indifference is {indifference}; it must lie in [0, 1).")
        self.arms = arms
        self.population = population
        self.baseline = baseline
        main, other = split(delta, (indifference > 0) + (baseline is not None))
        self.threshold = math.log(1.0 / main)
        claims = math.log((arms - 1) / other) if other else math.inf
        self.need_near = claims if indifference > 0 else math.inf
        self.need_better = claims if baseline is not None else math.inf
        self.indifference = indifference
        self.bets = PairedBets(arms, population, batch=batch)
        self.near_bets = PairedBets(arms, population, indifference, batch)
        self.seen = 0
        self.total: Floats = np.zeros((*batch, arms))
        self.evidence: Floats = np.zeros((*batch, arms))
        self.better: Floats = np.zeros((*batch, arms))
        self.proven: Bools = np.zeros((*batch, arms), bool)
        self.near: Floats = np.zeros((*batch, *((arms, arms) if indifference > 0 else (0, 0))))
        self.near_peak: Floats = self.near.copy()
        self.alive: Bools = np.ones((*batch, arms), bool)
        self.beaten_by: Ints = np.full((*batch, arms), -1)

    def select(self, keep: Bools) -> None:
        """Keep only the races of a batch where `keep` (R,) is true."""
        names = ("total", "evidence", "better", "proven", "near", "near_peak", "alive", "beaten_by")
        for name in names:
            setattr(self, name, getattr(self, name)[keep])
        self.bets.select(keep)
        self.near_bets.select(keep)

    def keep(self, size: int) -> None:
        """Drop all but the `size` leading ones of one race, which says nothing against the others.

        Of equal totals the one with less evidence against it stays.
        """
        order = np.lexsort((self.evidence, -self.total, ~self.alive))
        self.alive &= np.isin(np.arange(self.arms), order[:size])

    def rivals(self) -> Ints:
        """For each candidate its strongest other one still in the race (K,)."""
        strength = np.where(self.alive, self.total, -np.inf)
        first, second = np.moveaxis(np.argsort(-strength, axis=-1, kind="stable"), -1, 0)[:2]
        mine = np.arange(self.arms) == first[..., None]
        return np.asarray(np.where(mine, second[..., None], first[..., None]))

    def update(self, scores: ArrayLike) -> None:
        """Take the scores (K,) of one example; NaN where not run.

        One that is missing for somebody who is `running` (the service failed) says nothing.
        """
        x = np.asarray(scores, float)
        if np.isnan(x[self.running]).any():
            if self.population is not None:
                self.population -= 1
                self.bets.population = self.near_bets.population = self.population
            return
        rival = self.rivals()
        difference = x[..., :, None] - x[..., None, :]
        grown = self.bets.step(difference, self._missing(difference.shape))
        growth = np.take_along_axis(grown, rival[..., None, :], -2)[..., 0, :]
        self.evidence = np.where(self.alive, self.evidence + growth, self.evidence)
        if self.baseline is not None:
            self.better += grown[..., self.baseline]
            self.proven |= self.better >= self.need_better
        if self.indifference > 0:
            # [b, j]: that j does not beat b by the indifference or more.
            self.near += self.near_bets.step(difference, self.need_near - self.near)
            self.near_peak = np.maximum(self.near_peak, self.near)
        self.total += np.where(np.isnan(x), 0.0, x)
        self.seen += 1
        self._note_exact()
        out = self.alive & (self.evidence >= self.threshold)
        self.beaten_by[out] = rival[out]
        self.alive &= ~out

    def _note_exact(self) -> None:
        """On a population seen whole, a higher total than the baseline's needs no bet."""
        if self.baseline is None or not self.seen_whole:
            return
        lead = self.total - self.total[..., self.baseline, None]
        ran = self.running[..., self.baseline, None]
        self.proven |= ran & self.alive & (lead > 1e-9)

    def _missing(self, shape: tuple[int, ...]) -> Floats:
        """Nats (K, K) after which a bet need not grow, [k, j] for k against j."""
        missing = np.broadcast_to((self.threshold - self.evidence)[..., None, :], shape)
        if self.baseline is not None:
            missing = missing.copy()
            column = missing[..., self.baseline]
            np.maximum(column, self.need_better - self.better, out=column)
        return missing

    @property
    def running(self) -> Bools:
        """Who runs the next example (K,): those left, and the baseline until another is proven."""
        if self.baseline is None:
            return self.alive
        running = self.alive.copy()
        running[..., self.baseline] |= ~self.proven.any(-1)
        return running

    @property
    def leader(self) -> Ints:
        """The candidate still in the race with the largest total (of all when none is left)."""
        some = self.alive.any(-1, keepdims=True)
        strength = np.where(self.alive | ~some, self.total, -np.inf)
        return np.asarray(strength.argmax(-1))

    @property
    def named(self) -> Ints:
        """Who is named if the race ends now: the leader, or with a baseline the one best proven.

        That is, of those proven better than the baseline, the one with the highest mean (one still
        in the race, if there is any); the baseline where nobody is. The last one left needs no
        such proof.
        """
        leader = self.leader
        if self.baseline is None:
            return leader
        runs = np.diagonal(self.bets.shared, axis1=-2, axis2=-1)
        strength = self.total / np.maximum(runs, 1.0) + 2.0 * self.alive
        best = np.where(self.proven, strength, -np.inf).argmax(-1)
        safe = np.where(self.proven.any(-1), best, self.baseline)
        return np.asarray(np.where(self.alive.sum(-1) == 1, leader, safe))

    @property
    def indifferent(self) -> Bools:
        """Whether nobody left beats the one named by the indifference or more."""
        named = self.named
        if self.indifference <= 0:
            return np.zeros(named.shape, bool)
        peak = np.take_along_axis(self.near_peak, named[..., None, None], -2)[..., 0, :]
        excused = ~self.alive | (np.arange(self.arms) == named[..., None])
        return np.asarray((excused | (peak >= self.need_near)).all(-1))

    @property
    def finished(self) -> Bools:
        """Whether the answer is safe, or the population has been seen whole."""
        return np.asarray((self.alive.sum(-1) <= 1) | self.seen_whole | self.indifferent)

    @property
    def seen_whole(self) -> bool:
        """Whether there is a finite population, and all of it has been seen."""
        return self.population is not None and self.seen >= self.population

    def tied(self) -> list[int]:
        """Those still in the race with the leader's total."""
        best = self.total[self.leader]
        return [int(i) for i in np.flatnonzero(self.alive & (self.total >= best - 1e-9))]

    def effort(self, nats: ArrayLike) -> Floats:
        """Estimated examples (K,) that gathering `nats` (K,) against each candidate takes.

        Normal approximation at the estimates: a pair whose differences have mean m and variance v
        tells m^2 / (2 v) nats an example, and the most telling rival counts. Without replacement n
        of N examples tell as much as n / (1 - n / N) fresh ones. inf where nobody scores more.
        """
        shared = np.maximum(self.bets.shared, 1.0)
        mean = self.bets.total / shared
        variance = np.maximum(self.bets.squares / shared - mean**2, 0.25 / shared)
        rate = np.where(mean > 0, mean**2 / (2.0 * variance), 0.0).max(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            need = np.maximum(nats, 0.0) / rate
            if self.population is not None:
                need = 1.0 / (1.0 / need + 1.0 / self.population)
        return np.asarray(np.nan_to_num(need, nan=0.0, posinf=np.inf))
