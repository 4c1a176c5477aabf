"""MOCHA: several objectives by random Chebyshev weights and an annealed gate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from optimand.core.proposal import Problem, Propose, Query, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.tradeoffs import adds_hypervolume, chebyshev_as_good
from optimand.memory.pareto import draw_weights, nearest_to_ideal, objective_names
from optimand.methods.registry import method
from optimand.operators.edit import edit, filtered
from optimand.operators.filters import unkept
from optimand.queries.blocks import failures, limits, successes
from optimand.queries.query import query
from optimand.queries.tradeoffs import compliance, standing

__all__ = ["mocha"]


@method("mocha", source="Tanjim et al. 2026, arXiv:2605.19330")
def mocha(problem: Problem, *, steps: int = 100, minibatch: int = 3, decay: float = 1.4) -> Search:
    """Improve several objectives at once, within hard limits, and keep a front of trade-offs.

    The objectives are the score and all that the task's records carry (higher is better), scaled
    to 0..1 over the candidates kept. Each step draws weights uniformly from the simplex; the
    parent is the candidate of least max_i w_i (1 - f_i), which reaches every trade-off of the
    front. It is rewritten after a look at `minibatch` training examples, its standing in each
    objective and the room left under the limits. A child is run on the whole validation split.
    With probability exp(-decay * step / steps) it is kept if it adds to the front's hypervolume,
    else only if its weighted distance is at most the parent's. Progress is counted in steps, in
    the source in rollouts.
    """
    memory, rng = problem.memory, problem.rng("mocha")
    mutate = filtered(edit("tradeoff", name="mutate"), unkept)
    for number in range(steps):
        names = objective_names(r for c in memory.pool.values() for r in memory.records(c))
        weights = draw_weights(rng, len(names))
        explore = rng.random() < math.exp(-decay * number / steps)
        gate = adds_hypervolume(names) if explore else chebyshev_as_good(names, weights)
        parent = nearest_to_ideal(memory, names, weights)
        yield Propose(mutate, (parent,), cascade(Stage("val", gate)), _look(minibatch, names))


def _look(minibatch: int, names: Sequence[str]) -> Query:
    return query(
        "train",
        minibatch,
        objectives=standing(names),
        failures=failures,
        successes=successes,
        limits=limits,
        room=compliance,
    )
