"""What a duel is estimated to need: at the least, from here on, and if all pairs were tested alike.

All at the current estimates of the win rates, hence estimates themselves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import certainty_cost, kl_half
from optimand.statistics.lower_bound import star, structured, unstructured

if TYPE_CHECKING:
    from optimand.statistics.duel import DuelState

__all__ = ["equal_comparisons", "least_comparisons", "remaining_comparisons", "win_rates"]

Floats = NDArray[np.float64]


def win_rates(state: DuelState, rep: int = 0) -> Floats:
    """Posterior mean win rates (K, K): [k, j] is k against j."""
    none = np.zeros_like(state.jitter)
    columns = [
        state.model.against(np.full(len(state.rows), j), state.score, state.count, none)[0][rep]
        for j in range(state.arms)
    ]
    rates = np.array(columns).T
    np.fill_diagonal(rates, 0.5)
    return rates


def least_comparisons(state: DuelState) -> float | None:
    """Lower bound T* kl(delta, 1 - delta) on the mean comparisons of any method; None if no winner.

    No method can do with less than one comparison of each rival. The bound is that of the
    space and of the assumption that the duel was given.
    """
    options = state.options
    if options.space == "general":
        bound = (star if options.assume == "nothing" else unstructured)(win_rates(state))
    else:
        bound = structured(state.model.theta[0], options.features)
    least = bound.time * certainty_cost(options.delta)
    return max(least, state.arms - 1.0) if math.isfinite(least) else None


def equal_comparisons(state: DuelState) -> float | None:
    """Comparisons until every rival is disproved when all pairs are played equally often.

    Counts the evidence each comparison brings on average and no overhead, so what is saved
    against it is understated. None when some rival cannot be disproved at these estimates.
    """
    rates, best = win_rates(state), int(state.leader[0])
    rate = np.where(rates > 0.5, kl_half(rates), 0.0)
    worth = rate[best] if state.options.assume == "nothing" else rate.sum(0)
    slowest = float(np.delete(worth, best).min())
    if slowest <= 0.0:
        return None
    nats, dispersion = _needed(state), float(state.model.dispersion[0])
    return 0.5 * state.arms * (state.arms - 1) * nats * dispersion / slowest


def remaining_comparisons(state: DuelState, left: float = math.inf) -> float | None:
    """Comparisons still needed: missing evidence over the rate of each rival's strongest beater.

    At most `left`, the examples there are, if any are left; None if they would never end.
    """
    if state.done[0]:
        return 0.0
    needed = _needed_from_here(state)
    if left <= 0:
        return needed
    least = min(math.inf if needed is None else needed, left)
    return least if math.isfinite(least) else None


def _needed_from_here(state: DuelState) -> float | None:
    rates, best = win_rates(state), int(state.leader[0])
    rate = np.where(rates > 0.5, kl_half(rates), 0.0)
    direct = state.options.assume == "nothing"
    worth = rate[best] if direct else rate.max(0)
    got = state.evidence.log_pair[0, :, best] if direct else state.evidence.log_e[0]
    missing = np.maximum(_needed(state) - got, 0.0)
    if not direct:
        missing = np.where(state.alive[0], missing, 0.0)
    missing[best] = 0.0
    open_ = missing > 0
    if not open_.any():
        return 1.0
    if (worth[open_] <= 0).any():
        return None
    return float((missing[open_] / worth[open_]).sum()) * float(state.model.dispersion[0])


def _needed(state: DuelState) -> float:
    evidence = state.evidence
    return evidence.need_direct if evidence.direct else evidence.need_elimination
