"""What makes a study this study: change any of it, and it is another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from optimand.core.action import Strategy
from optimand.core.artifact import Candidate
from optimand.core.example import Example, endless
from optimand.core.functions import describe_value
from optimand.core.keys import content_hash
from optimand.core.task import Task

__all__ = ["study_settings"]


def study_settings(
    entries: Sequence[Candidate], task: Task, confidence: float, rule: Strategy, seed: int
) -> dict[str, Any]:
    """A study's settings, as plain JSON; examples and the strategy's options as hashes.

    A study's name is made of them: a new entry would be a new study.
    """
    return {
        "task": task.name,
        "execution": task.fingerprint(),
        "judge": task.judge.fingerprint() if task.judge else None,
        "candidates": {c.id: {"name": c.name, "parts": dict(c.artifact.parts)} for c in entries},
        "confidence": confidence,
        "strategy": rule.name,
        "options": _options(rule),
        "seed": seed,
        "population": task.population,
        "examples": {n: _digest(split) for n, split in task.splits.items() if not endless(split)},
    }


def _digest(examples: Sequence[Example]) -> str:
    """Their contents and tags, in order: the order decides which ones a seed draws first."""
    return content_hash([[example.key, list(example.tags)] for example in examples])


def _options(rule: Strategy) -> str:
    """The fields of a strategy, or what it says of itself by `fingerprint()`; "" for neither."""
    say = getattr(rule, "fingerprint", None)
    if callable(say):
        return content_hash(say())
    if not is_dataclass(rule):
        return ""
    found = {f.name: describe_value(getattr(rule, f.name)) for f in fields(rule) if f.compare}
    return content_hash(found)
