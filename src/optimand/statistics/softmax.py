"""Probabilities from scores, none of them below a floor."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["floored_softmax"]


def floored_softmax(scores: Sequence[float], temperature: float, floor: float) -> list[float]:
    """floor + (1 - K floor) softmax(scores / temperature) for K scores; uniform if K floor >= 1.

    With temperature 0 the highest share what the floor leaves. ActiveSaddler (arXiv:2610.00906).
    """
    count = len(scores)
    if floor * count >= 1.0:
        return [1.0 / count] * count
    top = max(scores, default=0.0)
    if temperature > 0:
        weights = [math.exp((score - top) / temperature) for score in scores]
    else:
        weights = [float(score == top) for score in scores]
    left, total = 1.0 - count * floor, sum(weights)
    return [floor + left * weight / total for weight in weights]
