"""An inner run: how far an editor gets, which is what an outer search judges it by."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from optimand.core.artifact import Candidate
from optimand.core.proposal import Propose, Query, Step
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import as_good_as_parent
from optimand.memory.archive import Memory
from optimand.operators.chained import chained
from optimand.operators.editors import Editor

__all__ = ["inner_run"]


def inner_run(
    memory: Memory, look: Query, start: Candidate, editors: Sequence[Editor], steps: int
) -> Generator[Propose, Step, float]:
    """`steps` edits from `start`, each kept unless it gets worse; the mean on "val" at the end."""
    current = start
    propose = chained([editor.operator for editor in editors])
    keep = cascade(Stage("val", as_good_as_parent))
    for _ in range(steps):
        step = yield Propose(propose, (current,), keep, look)
        current = step.accepted[0] if step.accepted else current
    return memory.value(current)
