"""Optimization by directional feedback."""

from __future__ import annotations

from typing import Literal

from optimand.core.proposal import Context, Evidence, Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import beats_best
from optimand.methods.registry import method
from optimand.operators.critique import critique, studied
from optimand.operators.edit import edit
from optimand.queries.blocks import failures, limits
from optimand.queries.earlier import attempts
from optimand.queries.query import query

__all__ = ["directional"]


@method(
    "directional", source="Nie et al. 2024, arXiv:2405.16434", roles=("proposer", "synthesizer")
)
def directional(
    problem: Problem,
    *,
    steps: int = 10,
    minibatch: int = 3,
    shown: int = 10,
    synthesize: Literal["untold", "always", "never"] = "untold",
) -> Search:
    """Change the text in a direction: the task's own, or one inferred from the attempts so far.

    Each step runs the current text on `minibatch` training examples. If the task's feedback says
    nothing there, the synthesizer reads the last `shown` attempts with their rewards (means on
    "val") and what the current text led to, and says in which direction to change it. The proposer
    sees attempts, failures and direction, and moves. The new text stays only if its mean on "val"
    is above the best so far, so the reward never falls.
    `synthesize` "always" asks also where there is feedback (if it only says what is wrong, not
    which way to go); "never" leaves the reward alone to guide.
    Differs: where the source repeats one situation, the reward here is a mean over examples.
    """
    follow = edit("follow", name="directional")
    ask = critique("direction", "synthesizer", scope="joint", into="direction", passed=True)

    async def where_untold(context: Context, evidence: Evidence) -> Evidence:
        told = any(record.feedback.strip() for record in evidence.records)
        return evidence if told else await ask(context, evidence)

    study = {"untold": studied(where_untold, follow), "always": studied(ask, follow)}
    propose = study.get(synthesize, follow)
    look = query("train", minibatch, attempts=attempts(shown), failures=failures, limits=limits)
    keep = cascade(Stage("val", beats_best))
    current = problem.memory.start
    for _ in range(steps):
        step = yield Propose(propose, (current,), keep, look)
        current = step.accepted[0] if step.accepted else current
