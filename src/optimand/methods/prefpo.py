"""PrefPO: prompt optimization by preferences, without labels."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.methods.registry import method
from optimand.operators.edit import edit, filtered
from optimand.operators.filters import unseen
from optimand.operators.preference import LOST, loser_improved
from optimand.queries.blocks import limits
from optimand.queries.query import query

__all__ = ["prefpo"]


@method("prefpo", source="PrefPO, DistylAI (code: DistylAI/prefpo)", roles=("proposer", "judge"))
def prefpo(
    problem: Problem,
    *,
    steps: int = 5,
    examples: int = 12,
    criteria: str = "does what the input asks for, is right and complete, and says nothing else",
    labels: bool = False,
    replace: bool = False,
) -> Search:
    """Let a judge compare the outputs of two candidates, and rewrite the one that lost.

    The pool begins with the start and a rewrite of it. Each step draws two of the pool in random
    order, runs both on `examples` training examples and shows their outputs to the judge, with the
    `criteria` in words. It prefers one and criticizes the other, which the proposer rewrites by
    that. The rewrite joins the pool, or, with `replace`, takes the loser's place.
    Neither model sees expected answers, scores or feedback; `labels` shows expected answers. The
    task's scores are used only to name the best at the end: its mean on "val".
    Differs: the proposer is a role of its own and is shown the comparison rather than continuing
    the judge's conversation; a rewrite that was met before is dropped.
    """
    rng, score = problem.rng("prefpo"), cascade(Stage("val"))
    vary = filtered(edit("rewrite", temperature=1.0, name="prefpo"), unseen)
    improve = loser_improved(edit("improve_loser", name="prefpo"), criteria, labels=labels)
    plain, look = query(limits=limits), query("train", examples, limits=limits)
    pool = [problem.memory.start]
    for _ in range(steps + 1):
        if len(pool) < 2:
            step = yield Propose(vary, (pool[0],), score, plain)
        else:
            pair = rng.sample(pool, 2)
            step = yield Propose(filtered(improve, unseen), tuple(pair), score, look)
        if step.accepted and replace and len(pool) > 1:
            pool = [c for c in pool if c.id != step.trials[0].meta[LOST]]
        pool += step.accepted
