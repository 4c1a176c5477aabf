"""GEPA: reflective prompt evolution on an instance front."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import as_good_as_best, beats_parent
from optimand.memory.fronts import draw_from_front
from optimand.methods.registry import method
from optimand.operators.edit import edit
from optimand.operators.merge import merge, merge_trios
from optimand.queries.blocks import failures, limits, successes
from optimand.queries.query import query

__all__ = ["gepa"]


@method("gepa", source="Agrawal et al. 2025, arXiv:2507.19457")
def gepa(
    problem: Problem,
    *,
    steps: int = 100,
    minibatch: int = 3,
    merges: int = 5,
) -> Search:
    """Reflect on a minibatch, keep what beats its parent, and draw parents from the front.

    A parent is drawn as often as it is best on a validation example; one part after the other is
    rewritten after a look at `minibatch` training examples in epochs. A child whose sum on the
    same examples is strictly higher is run on the whole validation split and kept. After a child
    was kept, two descendants of a common ancestor may be merged part by part (`merges` in all).
    """
    memory, names, rng = problem.memory, problem.surface.names, problem.rng("gepa")
    reflect = edit("edit", name="reflect")
    look = query("train", minibatch, failures=failures, successes=successes, limits=limits)
    screen = cascade(Stage("batch", beats_parent), Stage("val"))
    keep = cascade(Stage("val", as_good_as_best))
    merged: set[frozenset[str]] = set()
    for number in range(steps):
        parts = [names[number % len(names)]]
        parent = draw_from_front(memory, rng)
        step = yield Propose(reflect, (parent,), screen, look, params={"parts": parts})
        if not (step.accepted and merges and len(names) > 1):
            continue
        trios = [t for t in merge_trios(memory) if frozenset((t[0].id, t[1].id)) not in merged]
        if trios:
            merges -= 1
            trio = rng.choice(trios)
            merged.add(frozenset((trio[0].id, trio[1].id)))
            yield Propose(merge, trio[:2], keep, params={"trio": trio})
