"""The instance front: candidates that are best on some example."""

from __future__ import annotations

import random
from collections import Counter

from optimand.core.artifact import Candidate
from optimand.memory.archive import Memory

__all__ = ["draw_from_front", "instance_front"]


def instance_front(memory: Memory, split: str = "val") -> dict[str, set[str]]:
    """For each example the ids of the candidates that score highest on it, without the dominated.

    A candidate is dominated when on each of its examples another one left in the front is as
    good; those of lowest mean go first (GEPA, Algorithm 2).
    """
    front = memory.best_on(split)
    mine: dict[str, list[set[str]]] = {}
    for ids in front.values():
        for one in ids:
            mine.setdefault(one, []).append(ids)
    alive = set(mine)
    for one in sorted(mine, key=lambda i: (memory.value(memory.known[i], split), i)):
        alive.discard(one)
        if any(ids.isdisjoint(alive) for ids in mine[one]):
            alive.add(one)
    return {example: ids & alive for example, ids in front.items()}


def draw_from_front(memory: Memory, rng: random.Random, split: str = "val") -> Candidate:
    """A candidate of the instance front, as often as it is best at something."""
    counts = Counter(one for ids in instance_front(memory, split).values() for one in ids)
    if not counts:
        return memory.best(split)
    names = sorted(counts)
    return memory.pool[rng.choices(names, [counts[n] for n in names])[0]]
