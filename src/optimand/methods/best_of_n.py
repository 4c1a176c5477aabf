"""Best of n: a baseline for every method."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.methods.registry import method
from optimand.operators.edit import edit, filtered
from optimand.operators.filters import unseen
from optimand.queries.blocks import limits
from optimand.queries.query import query

__all__ = ["best_of_n"]


@method(
    "best-of-n", source="baseline; as best-of-n sampling, Stiennon et al. 2020, arXiv:2009.01325"
)
def best_of_n(problem: Problem, *, n: int = 20, temperature: float = 1.0) -> Search:
    """Rewrite the start `n` times, each time independently, and score each on "val".

    The proposer sees the start and its limits: no examples, no scores, no earlier proposals. So
    this is what a model and selection give without any learning; a method that learns must beat
    it at equal cost. A rewrite that was met before is not run again.
    """
    rewrite = filtered(edit("rewrite", temperature=temperature, name="best-of-n"), unseen)
    look, score = query(limits=limits), cascade(Stage("val"))
    # One by one, so that a spent budget loses none that was scored.
    for _ in range(n):
        yield Propose(rewrite, (problem.memory.start,), score, look)
