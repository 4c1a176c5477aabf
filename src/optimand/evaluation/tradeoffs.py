"""Gates for several objectives: a proposal adds to the front, or does well under given weights."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.proposal import Context, Evidence, Trial
from optimand.evaluation.gates import Gate
from optimand.memory.pareto import Point, chebyshev, contribution, normalised, objective_vector

__all__ = ["adds_hypervolume", "chebyshev_as_good"]

BELOW = -1e-3
"""The reference point in every objective: just below the worst, so that the ends count too."""


def adds_hypervolume(names: Sequence[str]) -> Gate:
    """Accept what enlarges the volume dominated by the accepted ones (on "val", scaled to 0..1)."""

    def gate(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
        *others, mine = _points(context, trial, names)
        added = contribution(mine, others, (BELOW,) * len(mine))
        return "" if added > 0.0 else "adds nothing to the Pareto front"

    return gate


def chebyshev_as_good(names: Sequence[str], weights: Sequence[float]) -> Gate:
    """Accept what is at least as near to the ideal point as the nearest accepted one."""

    def gate(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
        *others, mine = _points(context, trial, names)
        best, value = min(chebyshev(p, weights) for p in others), chebyshev(mine, weights)
        return "" if value <= best else "another is better under these weights"

    return gate


def _points(context: Context, trial: Trial, names: Sequence[str]) -> list[Point]:
    """The accepted candidates and, last, the proposal, scaled together."""
    memory = context.memory
    pool = [objective_vector(memory.records(c), names) for c in memory.pool.values()]
    return normalised([*pool, objective_vector(trial.records["val"], names)])
