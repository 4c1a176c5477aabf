"""Blocks of text about several objectives and about limits of length."""

from __future__ import annotations

import math
from collections.abc import Sequence

from optimand.core.proposal import Context, Evidence
from optimand.memory.pareto import objective_vector
from optimand.queries.query import Block

__all__ = ["compliance", "standing"]


def standing(names: Sequence[str]) -> Block:
    """The first parent's mean in each objective, and the best and lowest of the candidates kept."""

    def block(context: Context, evidence: Evidence) -> str:
        memory = context.memory
        mine = objective_vector(memory.records(evidence.parents[0]), names)
        pool = [objective_vector(memory.records(c), names) for c in memory.pool.values()]
        lines = []
        for name, value, column in zip(names, mine, zip(*pool, strict=True), strict=True):
            known = [v for v in column if math.isfinite(v)]
            if math.isfinite(value):
                best = f"best so far {max(known):.4g}, lowest {min(known):.4g}"
                lines.append(f"- {name}: {value:.4g} ({best}; higher is better)")
        return "\n".join(lines)

    return block


def compliance(context: Context, evidence: Evidence) -> str:
    """How much of its limit each text of the first parent uses."""
    current = context.surface.current(evidence.parents[0].artifact)
    return "\n".join(
        f"- {name}: {len(current[name] or '')} of at most {most} characters"
        for name, most in context.surface.limits.items()
    )
