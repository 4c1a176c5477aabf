"""POLCA: a priority queue of candidates under noisy scores, kept apart by an epsilon-net."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.memory.priority import most_promising
from optimand.methods.registry import method
from optimand.operators.critique import studied
from optimand.operators.each import each_parent
from optimand.operators.edit import edit
from optimand.operators.novelty import epsilon_net
from optimand.operators.summary import summary
from optimand.queries.blocks import failures, limits, successes
from optimand.queries.query import query

__all__ = ["polca"]


@method(
    "polca",
    source="Ren et al. 2026, arXiv:2603.14769",
    roles=("proposer", "summarizer"),
    final="train",
)
def polca(
    problem: Problem,
    *,
    steps: int = 100,
    width: int = 5,
    minibatch: int = 2,
    bonus: float = 0.0,
    epsilon: float = 0.1,
    summarized: int = 20,
) -> Search:
    """Search under noise: run the most promising candidates again and again, and edit each.

    Each step takes the candidate of highest mean and the next of highest priority, `width` in
    all, and runs them on `minibatch` new training examples. The priority is the mean, or with a
    `bonus` c an upper confidence bound (1 in the source), which also returns to what was unlucky
    at first. A summarizer reads up to `summarized` candidates, each with one case passed and one
    failed, and its advice is shown with each edit: one proposal for each candidate. Of these, the
    ones farthest from all that is kept are admitted while they are farther than `epsilon`; they
    are run on the same examples and kept, whatever they score. No candidate is ever dropped: the
    net bounds their number, and their means settle. Distance is that of word counts, not of
    embeddings. The result is the highest mean on training examples.
    """
    write = each_parent(edit("edit", name="optimize"), failures=failures, successes=successes)
    propose = epsilon_net(studied(summary(summarized), write), epsilon)
    look = query("train", minibatch, anew=True, limits=limits)
    for _ in range(steps):
        parents = tuple(most_promising(problem.memory, width, bonus))
        yield Propose(propose, parents, cascade(Stage("batch")), look)
