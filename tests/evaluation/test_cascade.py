"""Stages of evaluation: who goes on, and what is spent on the others."""

from __future__ import annotations

from tests.methods.benches import TOKENS, improved, tokens_task

from optimand import Budget, improve
from optimand.core.model import Request
from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import beats_parent
from optimand.llm.scripted import Scripted
from optimand.methods.registry import _FOUND, method
from optimand.operators.edit import edit
from optimand.queries.blocks import failures
from optimand.queries.query import query


def longer(request: Request) -> str:
    """A text with a number of the words that is the draw's own."""
    count = 1 + (request.seed or 0) % len(TOKENS)
    return f'<part name="value">\n{" ".join(TOKENS[:count])}\n</part>'


def test_only_the_best_of_the_batch_goes_on_to_val() -> None:
    seen: list[tuple[float, bool]] = []

    @method("one-step", source="a test")
    def one_step(problem: Problem) -> Search:
        screen = cascade(Stage("batch", beats_parent, keep=1), Stage("val"))
        look = query("train", 12, failures=failures)
        step = yield Propose(edit("edit"), (problem.memory.start,), screen, look, width=6)
        seen.extend((trial.score("batch"), "val" in trial.records) for trial in step.trials)

    try:
        improve(
            "start",
            tokens_task(),
            method="one-step",
            proposer=Scripted(longer, name="longer"),
            budget=Budget(rollouts=2000),
        )
    finally:
        del _FOUND["one-step"]
    on_val = [score for score, ran in seen if ran]
    assert len(on_val) == 1
    assert on_val[0] == max(score for score, _ in seen)


def test_a_plain_cascade_lets_all_go_on_that_pass() -> None:
    result = improved({"type": "gepa", "steps": 12})
    assert len(result.known) > 2
