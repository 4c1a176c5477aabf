"""The order in which candidates deserve another look, under noisy scores."""

from __future__ import annotations

import math

from optimand.core.artifact import Candidate
from optimand.memory.archive import Memory

__all__ = ["most_promising"]


def most_promising(
    memory: Memory, count: int, bonus: float = 0.0, split: str = "train"
) -> list[Candidate]:
    """The accepted candidate of highest mean, then those of highest priority; `count` at most.

    The priority is the mean, or with a `bonus` c > 0 the upper bound mean + c sqrt(ln(t + 1) / n),
    at most 1, in step t and after n runs. What never ran goes first; the newer wins a tie, since
    it is known less.
    """
    step = memory.steps + 1

    def priority(candidate: Candidate) -> float:
        runs = len(memory.records(candidate, split))
        if not runs:
            return math.inf
        width = bonus * math.sqrt(math.log(step + 1) / runs)
        return min(memory.value(candidate, split) + width, 1.0)

    best = memory.best(split)
    others = [c for c in reversed(memory.pool.values()) if c.id != best.id]
    return [best, *sorted(others, key=priority, reverse=True)][:count]
