"""Look at what a search has found, as its memory knows it, before anyone uses it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from optimand.artifacts.surface import read
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.task import Judge, Task
from optimand.evaluation.hygiene import Gap, warnings_about
from optimand.memory.archive import Memory
from optimand.strategies.improve.search import SearchStrategy

__all__ = ["looked_at"]


def looked_at(
    rule: SearchStrategy, best: Candidate, train: Iterable[Example], task: Task
) -> tuple[str, ...]:
    """What is odd about `best`, in sentences; see `evaluation.hygiene`."""
    memory, names = rule.memory, rule.surface.texts
    return warnings_about(
        best.name,
        _texts(memory.start, names),
        _texts(best, names),
        train=((example.input, example.target) for example in train),
        judge=_options(task.judge),
        gaps=(_gap(memory, memory.start), _gap(memory, best)),
    )


def _texts(candidate: Candidate, names: Iterable[str]) -> dict[str, str]:
    values = {name: read(candidate.artifact.parts, name) for name in names}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _gap(memory: Memory, candidate: Candidate) -> Gap:
    train, val = (
        [r.score for r in memory.records(candidate, split) if r.score is not None]
        for split in ("train", "val")
    )
    return Gap(train, val)


def _options(judge: Judge | None) -> Mapping[str, Any]:
    """The judge's own texts; of a judge that no file can name, nothing is known."""
    if judge is None:
        return {}
    from optimand.evaluation.judges.registry import judge_to

    try:
        return judge_to(judge)
    except InputError:
        return {}
