"""Random search: a baseline for every method."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.methods.registry import method
from optimand.operators.draw import drawn
from optimand.operators.edit import edit, filtered
from optimand.operators.filters import unseen
from optimand.queries.blocks import limits
from optimand.queries.query import query

__all__ = ["random_search"]


@method(
    "random-search",
    source="Bergstra and Bengio 2012, JMLR 13:281-305; for texts a random walk",
    roles=(),
    optional=("proposer",),
    for_texts=("proposer",),
)
def random_search(problem: Problem, *, steps: int = 50, temperature: float = 1.0) -> Search:
    """Draw settings uniformly from their space, rewrite texts of a random earlier candidate.

    Each step takes one of all candidates so far with equal probability, good or bad. Its typed
    settings are drawn anew, each uniform in its range or among its options; its texts are
    rewritten by the proposer, who sees them and their limits, and nothing of how they did. Each
    new candidate is scored on "val" and kept. So selection happens only at the end. With settings
    alone no model is asked.
    """
    rng = problem.rng("random-search")
    rewrite = edit("rewrite", temperature=temperature, name="random-search")
    propose = filtered(drawn(rewrite, "random-search"), unseen)
    look, score = query(limits=limits), cascade(Stage("val"))
    for _ in range(steps):
        parent = rng.choice(list(problem.memory.pool.values()))
        yield Propose(propose, (parent,), score, look)
