"""Filters: proposals that are not worth an evaluation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context
from optimand.operators.edit import Filter

__all__ = ["Distance", "bag_distance", "shorter_than", "unseen"]

Distance = Callable[[str, str], float]


def unseen(context: Context, candidate: Candidate) -> str:
    """Drop what was proposed before."""
    return "proposed before" if candidate.id in context.memory.known else ""


def shorter_than(most: int) -> Filter:
    """Drop proposals whose texts have more than `most` characters together."""

    def check(context: Context, candidate: Candidate) -> str:
        current = context.surface.current(candidate.artifact)
        size = sum(len(current[name] or "") for name in context.surface.texts)
        return f"{size} characters, more than {most}" if size > most else ""

    return check


def bag_distance(a: str, b: str) -> float:
    """Distance in [0, sqrt 2] between the bags of words of two texts, each scaled to length 1."""
    first, second = Counter(a.lower().split()), Counter(b.lower().split())
    norms = [math.sqrt(sum(n * n for n in c.values())) or 1.0 for c in (first, second)]
    dot = sum(n * second[word] for word, n in first.items())
    return math.sqrt(max(0.0, 2.0 - 2.0 * dot / (norms[0] * norms[1])))
