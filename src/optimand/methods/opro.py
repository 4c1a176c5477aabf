"""OPRO: optimization by prompting."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.methods.registry import method
from optimand.operators.edit import edit, filtered
from optimand.operators.filters import shorter_than, unseen
from optimand.queries.blocks import exemplars, history, limits
from optimand.queries.query import query

__all__ = ["opro"]


@method("opro", source="Yang et al. 2023, arXiv:2309.03409")
def opro(
    problem: Problem,
    *,
    steps: int = 200,
    width: int = 8,
    shown: int = 20,
    examples: int = 3,
    longest: int = 500,
) -> Search:
    """Extrapolate from a list of past solutions, sorted by score.

    Each step shows the `shown` best solutions with their scores, the best last, and a few training
    examples; `width` new ones are drawn at temperature 1, repeats and long ones are dropped, and
    the rest are scored on the validation split.
    """
    propose = filtered(
        edit("extrapolate", temperature=1.0, name="opro"), unseen, shorter_than(longest)
    )
    ask = query(past_solutions=history(shown), examples=exemplars(examples), limits=limits)
    score = cascade(Stage("val"))
    for _ in range(steps):
        yield Propose(propose, (problem.memory.best(),), score, ask, width)
