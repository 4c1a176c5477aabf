"""Trace / OptoPrime: update the parameters of a program from its execution trace and feedback."""

from __future__ import annotations

from typing import Any

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import as_good_as_parent
from optimand.methods.registry import method
from optimand.operators.suggest import REASONING, suggest
from optimand.queries.blocks import failures, limits, successes
from optimand.queries.earlier import Attempt, earlier_versions
from optimand.queries.query import query
from optimand.queries.trace import documentation, runs

__all__ = ["optoprime"]


@method("optoprime", source="Cheng et al. 2024 (Trace), arXiv:2406.16218")
def optoprime(
    problem: Problem, *, steps: int = 30, minibatch: int = 3, memory: int = 0, trace: bool = True
) -> Search:
    """Follow the values of a program from its output back to the parameter that spoils it.

    For a ProgramTask: functions marked @traced, parameters of text or number. Each step runs the
    current values on `minibatch` training examples in epochs. One call of the model is shown, for
    each run, the calls on a path from a parameter to the output, their documentation, the values
    on the way, the output and the feedback, and suggests new values by name; unknown names are
    ignored, and values cast to the parameter's type. They replace the current ones unless their
    mean on "val" is lower (in the source always). `memory` shows the versions of so many steps
    before and what became of them, first in, first out. Without `trace` only input, output and
    feedback are shown. Code cannot be a parameter: that needs a sandbox.
    """
    propose = suggest("optoprime", name="optoprime")
    shown: dict[str, Any] = {"documentation": documentation, "runs": runs}
    if not trace:
        shown = {"failures": failures, "successes": successes}
    earlier = earlier_versions(memory)
    look = query("train", minibatch, constraints=limits, **shown, earlier_versions=earlier)
    keep = cascade(Stage("val", as_good_as_parent))
    current, past = problem.memory.start, list[Attempt]()
    for _ in range(steps):
        step = yield Propose(propose, (current,), keep, look, params={"past": tuple(past)})
        said = str(step.trials[0].meta.get(REASONING, "")) if step.trials else ""
        past.append(Attempt(current, said, bool(step.accepted)))
        current = step.accepted[0] if step.accepted else current
