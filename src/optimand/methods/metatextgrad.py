"""metaTextGrad: improve the optimizer's prompt, then its structure, by how well it optimizes."""

from __future__ import annotations

from functools import partial

from optimand.core.proposal import Operator, Problem, Propose, Query, Search
from optimand.evaluation.cascade import cascade
from optimand.methods.registry import method
from optimand.operators.editors import (
    BASES,
    COMPOSED,
    INSTRUCTION,
    Editor,
    compose,
    rewrite_instruction,
)
from optimand.queries.blocks import failures, limits, successes
from optimand.queries.query import query
from optimand.strategies.improve.inner import inner_run

__all__ = ["metatextgrad"]


@method("metatextgrad", source="Xu et al. 2025, arXiv:2505.18524", roles=("proposer", "meta"))
def metatextgrad(
    problem: Problem,
    *,
    prompts: int = 5,
    structures: int = 5,
    inner: int = 2,
    minibatch: int = 3,
    steps: int = 10,
) -> Search:
    """Search for the editor that improves the text best, then let it work.

    An editor is judged by an inner run: from the start, `inner` edits by its instructions, each
    kept unless the mean on "val" falls; what that mean is at the end is the editor's score.
    Prompt phase: for each of two base editors the model "meta" is shown its instructions and
    training cases, and writes new ones, `prompts` times; they are kept if the score rises.
    Structure phase: shown all editors with their scores, it proposes `structures` compositions:
    several in an order, each going on from the last, or a hybrid. The best editor then makes
    `steps` edits from the best text so far. What "meta" writes is quoted to the proposer in a
    fixed template. The result is the best text of all inner runs and of the last.
    """
    memory = problem.memory
    look = query("train", minibatch, limits=limits, failures=failures, successes=successes)
    run = partial(inner_run, memory, look)
    scored: dict[Editor, float] = {}
    for base in BASES:
        editor, score = base, (yield from run(memory.start, (base,), inner))
        scored[base] = score
        for number in range(prompts):
            asked = yield _asking(problem, rewrite_instruction(editor), look)
            if not (written := asked.trials[0].meta.get(INSTRUCTION)):
                continue
            new = Editor(f"{base.name}-{number + 1}", written)
            value = yield from run(memory.start, (new,), inner)
            if value > score:
                editor, score, scored[new] = new, value, value
    best: tuple[Editor, ...] = (max(scored, key=lambda one: scored[one]),)
    most = scored[best[0]]
    for _ in range(structures):
        asked = yield _asking(problem, compose(scored), None)
        composed = asked.trials[0].meta.get(COMPOSED, ())
        if not composed or composed == best:
            continue
        value = yield from run(memory.start, composed, inner)
        scored |= {composed[0]: value} if len(composed) == 1 else {}
        if value > most:
            best, most = composed, value
    yield from run(memory.best(), best, steps)


def _asking(problem: Problem, operator: Operator, look: Query | None) -> Propose:
    """A step that asks about editors, from the start, and proposes no candidate."""
    return Propose(operator, (problem.memory.start,), cascade(), look, params={"asks": "meta"})
