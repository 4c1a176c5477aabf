"""How many comparisons any rule needs: the characteristic time T* and the proportions reaching it.

Every rule that names the best candidate with error at most delta needs on average at least
T* kl(delta, 1 - delta) comparisons, where 1/T* = max over proportions w of the smallest, over
rivals j, information F_j(w) against the closest model in which j is best (Garivier & Kaufmann
2016, Theorem 1, applied to pairs; Hu, Gao, Hu & Zhou 2026, arXiv:2604.08779).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import kl_half
from optimand.statistics.structured_bound import solve_structured
from optimand.statistics.tournament import condorcet_winner

__all__ = ["LowerBound", "beater_plan", "star", "structured", "unstructured"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LowerBound:
    """T* in comparisons per nat, proportions (K, K) symmetric with sum 1 over pairs, the best.

    gap: certified relative optimality gap; the true T* lies in [time / (1 + gap), time].
    time is inf when nobody, or nobody strictly, is best.
    """

    time: float
    weights: Floats
    best: int
    gap: float = 0.0


def beater_plan(
    rates: Floats, best: NDArray[np.int64], costs: Floats | None = None
) -> tuple[Floats, Floats]:
    """Closed form, batched: (time (R,), proportions (R, K, K)) for rates (R, K, K).

    Each loser j is disproved by its strongest beater b(j), at share (1 / d_j) / T* with
    d_j = kl(p_b(j)j, 1/2): T* = sum of 1 / d_j over losers. Losers nobody beats are given the
    smallest positive rate so that the plan stays finite; the time is then inf.

    With costs (K,) of running each candidate once, b(j) is the one with the most information per
    unit of cost, and the time is a cost: the sum over losers of min_b (c_b + c_j) / kl(p_bj, 1/2).
    Nothing is lost by taking losers one at a time: a pair informs only about its weaker one.
    """
    reps, size = rates.shape[:2]
    rows = np.arange(reps)
    rate = np.where(rates > 0.5, kl_half(rates), 0.0)
    price = np.ones((size, size)) if costs is None else costs[:, None] + costs
    beater = (rate / price).argmax(1)
    top = np.take_along_axis(rate, beater[:, None], 1)[:, 0]
    unbeaten = top <= 0.0
    unbeaten[rows, best] = False
    cost = 1.0 / np.maximum(top, 1e-6)
    cost[rows, best] = 0.0
    beater = np.where(unbeaten, best[:, None], beater)
    weights = np.zeros((reps, size, size))
    loser = np.arange(size)
    for_pair = (rows[:, None], beater, loser)
    weights[for_pair] = cost
    weights = weights + weights.transpose(0, 2, 1)
    total = cost.sum(1)
    time = np.where(unbeaten.any(1), math.inf, (cost * price[beater, loser]).sum(1))
    return time, weights / total[:, None, None]


def unstructured(rates: Floats, costs: Floats | None = None) -> LowerBound:
    """T* for win rates (K, K) when all that is assumed is that a Condorcet winner exists.

    With costs (K,), the least cost per nat and the proportions that reach it (see `beater_plan`).
    """
    best = condorcet_winner(rates)
    if best is None:
        return _hopeless(rates)
    time, weights = beater_plan(rates[None], np.array([best]), costs)
    return LowerBound(float(time[0]), weights[0], best)


def star(rates: Floats) -> LowerBound:
    """T* without assuming a Condorcet winner: every rival must be beaten by the answer itself.

    T* = sum over rivals of 1 / kl(p_best,j, 1/2); never less than `unstructured`.
    """
    best = condorcet_winner(rates)
    if best is None:
        return _hopeless(rates)
    cost = np.zeros(len(rates))
    rivals = np.arange(len(rates)) != best
    cost[rivals] = 1.0 / kl_half(rates[best, rivals])
    weights = np.zeros_like(rates)
    weights[best] = weights[:, best] = cost / cost.sum()
    return LowerBound(float(cost.sum()), weights, best)


def structured(theta: Floats, features: Floats | None = None, tol: float = 1e-3) -> LowerBound:
    """T* under Bradley-Terry strengths theta (K,), or linear ones, theta = features @ beta.

    For the linear model pass theta already in the span of features (K, d); time falls because one
    comparison informs about all. Solved to relative gap `tol` (certified by weak duality).
    """
    theta = np.asarray(theta, float)
    best = int(theta.argmax())
    if (np.delete(theta, best) >= theta[best]).any():
        return _hopeless(np.zeros((len(theta), len(theta))))
    value, weights, gap = solve_structured(theta, best, features, tol)
    return LowerBound(1.0 / value, weights, best, gap)


def _hopeless(rates: Floats) -> LowerBound:
    return LowerBound(math.inf, np.zeros_like(rates), -1)
