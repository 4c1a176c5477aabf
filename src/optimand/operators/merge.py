"""Merge two descendants of a common ancestor, part by part (GEPA, system-aware merge)."""

from __future__ import annotations

from itertools import combinations

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context, Evidence, Trial
from optimand.memory.archive import Memory
from optimand.operators.edit import child

__all__ = ["merge", "merge_trios"]

Trio = tuple[Candidate, Candidate, Candidate]


def merge_trios(memory: Memory) -> list[Trio]:
    """(first, second, ancestor): neither descends from the other, and both are at least as good."""
    lines = {c.id: _ancestors(memory, c) for c in memory.pool.values()}
    found = []
    for a, b in combinations(memory.pool.values(), 2):
        if a.id in lines[b.id] or b.id in lines[a.id]:
            continue
        common = [memory.pool[i] for i in lines[a.id] & lines[b.id] if i in memory.pool]
        least = min(memory.value(a), memory.value(b))
        fine = [c for c in common if memory.value(c) <= least]
        if fine:
            found.append((a, b, max(fine, key=lambda c: (memory.value(c), c.id))))
    return found


async def merge(context: Context, evidence: Evidence) -> list[Trial]:  # noqa: ARG001
    """Of each part take the one that changed since the ancestor; where both did, the better's."""
    first, second, ancestor = context.action.params["trio"]
    memory, surface = context.memory, context.surface
    a, b, z = (surface.current(c.artifact) for c in (first, second, ancestor))
    better = a if memory.value(first) >= memory.value(second) else b
    parts = {
        n: b[n] if a[n] == z[n] else a[n] if b[n] == z[n] else better[n] for n in surface.names
    }
    return [child(context, (first, second), parts, "merge")]


def _ancestors(memory: Memory, candidate: Candidate) -> set[str]:
    found: set[str] = set()
    stack = list(candidate.parents)
    while stack:
        one = stack.pop()
        if one not in found and one in memory.known:
            found.add(one)
            stack += memory.known[one].parents
    return found
