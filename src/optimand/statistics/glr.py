"""Stopping by the generalised likelihood ratio (GLR), the rule of LLM-PO, as an alternative.

Z_j is the log likelihood ratio of the best fit to the best fit in which j is the winner. General
space: Z_j = sum over k with p_kj > 1/2 of N_kj kl(p_kj, 1/2), p the observed rates. Bradley-Terry
and linear spaces: both fits are constrained maximum-likelihood fits. The run stops when Z_j passes
the threshold for all j but one.
Sources: Garivier & Kaufmann 2016 (arXiv:1602.04589); Kaufmann & Koolen 2021 (arXiv:1811.11419).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from optimand.statistics import bradley_terry
from optimand.statistics.alternatives import closest_alternatives, contrasts, tied_start
from optimand.statistics.divergence import binary_kl, kl_half, sigmoid
from optimand.statistics.duel_stoppers import RUNNING, WINNER

if TYPE_CHECKING:
    from optimand.statistics.duel import DuelState

__all__ = ["Glr", "Threshold", "glr_evidence", "threshold"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Threshold = Literal["heuristic", "classical", "kaufmann-koolen"]

PULL = 0.1
"""Games per candidate of the pull towards equality, which keeps fits finite while somebody is
unbeaten."""


def threshold(kind: Threshold, count: Floats, delta: float, structured: bool) -> Floats:
    """What Z must reach, in nats, (R, 1) or (R, K), after the games in count (R, K, K).

    "heuristic": ln((1 + ln t) / delta), what most papers plot; not proven. "classical":
    ln(2 t (K - 1) / delta), proven where one pair carries each rejection (Garivier & Kaufmann
    2016, Proposition 12), not for sums over pairs. "kaufmann-koolen": proven, and large.
    """
    if kind == "kaufmann-koolen":
        return _kaufmann_koolen(count, delta, structured)
    t = np.maximum(0.5 * count.sum((1, 2)), 1.0)[:, None]
    growth = 1.0 + np.log(t) if kind == "heuristic" else 2.0 * t * (count.shape[1] - 1)
    return np.asarray(np.log(growth / delta))


def _kaufmann_koolen(count: Floats, delta: float, structured: bool) -> Floats:
    """3 sum_S ln(1 + ln N) + |S| C(ln(1/delta) / |S|), (R, K) or (R, 1).

    S: the K - 1 pairs of candidate j, or all pairs where a model ties them together (structured).
    An error needs the true winner rejected, so no union bound is due. Kaufmann & Koolen 2021,
    Theorem 7 (Bernoulli observations; scores in [0, 1] have no larger moments).
    """
    size = count.shape[1]
    growth = 3.0 * np.log1p(np.log(np.maximum(count, 1.0)))
    pairs = size * (size - 1) // 2 if structured else size - 1
    summed = 0.5 * growth.sum((1, 2))[:, None] if structured else growth.sum(2)
    return np.asarray(summed + pairs * _calibration(math.log(1.0 / delta) / pairs))


def _calibration(x: float) -> float:
    """C(x) = 2 h~((h^-1(1 + x) + ln(2 zeta(2))) / 2), Kaufmann & Koolen 2021, equation (10)."""
    return 2.0 * _h_tilde(0.5 * (_h_inverse(1.0 + x) + math.log(math.pi**2 / 3.0)))


def _h_tilde(x: float) -> float:
    edge = 1.0 / math.log(1.5)
    if x >= edge - math.log(edge):
        u = _h_inverse(x)
        return math.exp(1.0 / u) * u
    return 1.5 * (x - math.log(math.log(1.5)))


def _h_inverse(y: float) -> float:
    """The u >= 1 with u - ln u = y, for y >= 1."""
    u = y + math.log(y + math.sqrt(2.0 * max(y - 1.0, 0.0)))
    for _ in range(50):
        u = y + math.log(u)
    return u


@dataclass(frozen=True)
class Glr:
    """A stopper: WINNER when every rival's GLR passes the threshold.

    threshold: "kaufmann-koolen" (proven), "classical", "heuristic" (not proven). clock: in a
    structured space the fits are made anew when the number of games has grown by this factor;
    looking less often is always valid.
    """

    threshold: Threshold = "kaufmann-koolen"
    clock: float = 1.02

    def __call__(self, state: DuelState) -> tuple[Ints, Ints]:
        """Return (kind, answer), both (R,)."""
        reps = len(state.rows)
        running = np.full(reps, RUNNING), np.full(reps, -1)
        structured = state.options.space != "general"
        played = 0.5 * float(state.count[0].sum())
        if structured:
            due = state.memo.get("glr due")
            if due is not None and played < due[0]:
                return running
            state.memo["glr due"] = np.full(reps, max(self.clock * played, played + 1.0))
        if played < state.arms - 1:
            return running
        evidence = glr_evidence(state)
        answer = evidence.argmin(1)
        evidence[state.rows, answer] = np.inf
        need = threshold(self.threshold, state.count, state.options.delta, structured)
        done = (evidence >= need).all(1)
        return np.where(done, WINNER, RUNNING), np.where(done, answer, -1)


def glr_evidence(state: DuelState) -> Floats:
    """Z (R, K) in nats: the GLR statistic against "j is best"."""
    played = np.maximum(state.count, 1.0)
    lost = 1.0 - state.score / played
    if state.options.space == "general":
        worth = np.where((state.count > 0) & (lost > 0.5), state.count * kl_half(lost), 0.0)
        return np.asarray(worth.sum(2))
    return _structured(state)


def _structured(state: DuelState) -> Floats:
    """Each rival tied with the strongest, both fits with the same slight pull towards equality."""
    features, size, rows = state.options.features, state.arms, state.rows
    pull = PULL * (np.ones((size, size)) - np.eye(size)) / size
    score, count = state.score + 0.5 * pull, state.count + pull
    if features is None:
        free = theta = bradley_terry.fit(score, count, 0.0)
    else:
        free, _ = bradley_terry.fit_linear(features, score, count, np.full(len(rows), 1e-6))
        theta = free @ features.T
    best = theta.argmax(1)
    rivals = np.argsort(np.arange(size) == best[:, None], axis=1, kind="stable")[:, :-1]
    direction = contrasts(features, size, np.repeat(best, size - 1), rivals.reshape(-1))
    start = tied_start(direction, np.repeat(free, size - 1, 0))
    each_score, each_count = (np.repeat(x, size - 1, 0) for x in (score, count))
    tied = closest_alternatives(features, each_score, each_count, direction, start).rates
    tied = tied.reshape(len(rows), size - 1, size, size)
    rates = score / np.where(count > 0, count, 1.0)
    loss_free = binary_kl(rates, sigmoid(theta[:, :, None] - theta[:, None, :]))
    excess = binary_kl(rates[:, None], tied) - loss_free[:, None]
    out = np.zeros((len(rows), size))
    out[rows[:, None], rivals] = 0.5 * (count[:, None] * excess).sum((2, 3))
    return out
