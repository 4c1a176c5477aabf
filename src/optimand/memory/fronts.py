"""The instance front: candidates that are best on some example."""

from __future__ import annotations

import random

from optimand.core.artifact import Candidate
from optimand.memory.archive import Memory

__all__ = ["draw_from_front", "instance_front"]


def instance_front(memory: Memory, split: str = "val") -> dict[str, set[str]]:
    """For each example the ids of the candidates that score highest on it, without the dominated.

    A candidate is dominated when on each of its examples another one left in the front is as
    good; those of lowest mean go first (GEPA, Algorithm 2).
    """
    best: dict[str, tuple[float, set[str]]] = {}
    for candidate in memory.pool.values():
        for record in memory.records(candidate, split):
            if record.score is None:
                continue
            top, ids = best.get(record.example, (-1.0, set()))
            if record.score > top:
                best[record.example] = (record.score, {candidate.id})
            elif record.score == top:
                ids.add(candidate.id)
    front = {example: set(ids) for example, (_, ids) in best.items()}
    alive = set().union(*front.values()) if front else set()
    for one in sorted(alive, key=lambda i: (memory.value(memory.pool[i], split), i)):
        mine = [ids for ids in front.values() if one in ids]
        if all(ids & (alive - {one}) for ids in mine):
            alive.discard(one)
    return {example: ids & alive for example, ids in front.items()}


def draw_from_front(memory: Memory, rng: random.Random, split: str = "val") -> Candidate:
    """A candidate of the instance front, as often as it is best at something."""
    front = instance_front(memory, split)
    counts: dict[str, int] = {}
    for ids in front.values():
        for one in ids:
            counts[one] = counts.get(one, 0) + 1
    if not counts:
        return memory.best(split)
    names = sorted(counts)
    return memory.pool[rng.choices(names, [counts[n] for n in names])[0]]
