"""TextGrad: criticism propagated back to a text, with the stages apart or together."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import as_good_as_parent
from optimand.methods.registry import method
from optimand.operators.backward import GRADIENT, Mode, backward
from optimand.operators.edit import edit
from optimand.queries.blocks import limits
from optimand.queries.earlier import Attempt, earlier_criticism, earlier_versions
from optimand.queries.query import query

__all__ = ["textgrad"]

SOURCES = "Yuksekgonul et al. 2024, arXiv:2406.07496; modes: arXiv:2605.26046"


@method("textgrad", source=SOURCES, roles=("proposer", "critic"))
def textgrad(
    problem: Problem,
    *,
    steps: int = 12,
    minibatch: int = 3,
    mode: Mode = "SSC",
    criteria: Sequence[str] = (),
    gradient_memory: int = 0,
    momentum: int = 0,
) -> Search:
    """Assess outputs (loss), say how the text should change (gradient), rewrite it (optimizer).

    Each step runs the current text on `minibatch` training examples in epochs. The critic assesses
    what failed and turns each assessment into criticism of the text; the proposer rewrites the
    text by it. The rewrite replaces the text unless its mean on "val" is lower.
    `mode` says which of the three stages are separate (S) or combined (C): SSS, SSC, SCC or CCC.
    Separate is a call for each failed record and each of the `criteria` (names of the task's
    objectives) that it failed. Combined loss and gradient look at all criteria of a record at
    once, without criteria at all records; a combined optimizer rewrites once. A criterion that has
    a part's name is about that part only.
    `gradient_memory` shows the optimizer the criticism of so many steps before, `momentum` the
    versions and what became of them; both were meant and had no effect in the released code.
    Differs: only what failed is assessed, a text that broke a limit is a wasted step and no error,
    and parts are criticized together rather than along a graph.
    """
    rewrite = edit("edit", temperature=0.7, name="textgrad")
    propose = backward(rewrite, mode, criteria=criteria)
    look = query(
        "train",
        minibatch,
        limits=limits,
        earlier_versions=earlier_versions(momentum),
        earlier_criticism=earlier_criticism(gradient_memory),
    )
    keep = cascade(Stage("val", as_good_as_parent))
    current, past = problem.memory.start, list[Attempt]()
    for _ in range(steps):
        step = yield Propose(propose, (current,), keep, look, params={"past": tuple(past)})
        past.append(Attempt(current, step.trials[0].meta.get(GRADIENT, ""), bool(step.accepted)))
        current = step.accepted[0] if step.accepted else current
