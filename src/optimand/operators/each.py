"""An operator carried out for every parent by itself."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.artifact import Candidate
from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.queries.query import Block, with_blocks

__all__ = ["each_parent"]


def each_parent(operator: Operator, **blocks: Block) -> Operator:
    """Proposals from each parent, which sees its own records and `blocks` written about them.

    Blocks that are there already are shown to all.
    """

    async def one(context: Context, evidence: Evidence, parent: Candidate) -> list[Trial]:
        alone = context.narrowed(parents=(parent,))
        own = replace(evidence, parents=(parent,), records=evidence.of(parent))
        return await operator(alone, with_blocks(alone, own, blocks))

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        made = await all_of([one(context, evidence, parent) for parent in evidence.parents])
        return [trial for trials in made for trial in trials]

    return carry_out
