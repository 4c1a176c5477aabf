"""Whether a candidate does better on what it was made from than on what it was chosen by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Gap", "overfitted"]

LEAST_GAP = 0.1
LEAST_RUNS = 10
ERRORS = 2.0
"""Standard errors that a growth must exceed to be more than luck."""


@dataclass(frozen=True)
class Gap:
    """A candidate's scores on the examples shown to the proposer, and on those it was chosen by."""

    train: Sequence[float]
    val: Sequence[float]

    @property
    def size(self) -> float | None:
        """Mean on train minus mean on val; None where one of them never ran."""
        if not self.train or not self.val:
            return None
        return _mean(self.train) - _mean(self.val)

    @property
    def variance(self) -> float:
        """Of `size`, at most: scores in [0, 1] vary most where they are 0 or 1 (Agresti, Coull)."""
        return sum(_variance(scores) for scores in (self.train, self.val) if scores)


def overfitted(name: str, start: Gap, best: Gap) -> str:
    """A sentence if the gap has grown by more than luck explains; else ""."""
    size, before = best.size, start.size
    if size is None or len(best.train) < LEAST_RUNS or len(best.val) < LEAST_RUNS:
        return ""
    growth = size - (before or 0.0)
    error = math.sqrt(best.variance + (start.variance if before is not None else 0.0))
    if growth < LEAST_GAP or growth < ERRORS * error:
        return ""
    return (
        f"{name} scores {_mean(best.train):.3f} on the training examples and "
        f"{_mean(best.val):.3f} on val; the gap has grown by {growth:.3f} since the start: "
        "it may have learned the examples."
    )


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _variance(scores: Sequence[float]) -> float:
    count = len(scores) + 2
    share = (sum(scores) + 1) / count
    return share * (1.0 - share) / count
