"""Combine two candidates by a model that is shown both and what each gets right."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.edit import edit
from optimand.queries.blocks import render

__all__ = ["combine"]


def combine(template: str = "combine", role: str = "proposer") -> Operator:
    """The first parent rewritten with a look at the second; both become its parents."""
    rewrite = edit(template, role, name="combine")

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        if len(evidence.parents) < 2:
            return [Trial(None, False, "two parents are needed to combine")]
        other = render(context, evidence.parents[1])
        shown = replace(evidence, blocks={**evidence.blocks, "the other version": other})
        return await rewrite(context, shown)

    return operator
