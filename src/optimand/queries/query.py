"""Compose a query: run the parents on a minibatch, then write blocks of text about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from optimand.core.action import Rollout
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evidence, Query
from optimand.queries.minibatch import epochs

__all__ = ["Block", "query"]

Block = Callable[[Context, Evidence], str]
"""Writes one block of text about the evidence; "" leaves it out."""


def query(split: str = "", n: int = 3, **blocks: Block) -> Query:
    """Run the parents on the next `n` examples of `split` ("" runs nothing), then write `blocks`.

    Blocks appear in the order given, under their names. An example that a parent has already met is
    not run again.
    """

    async def carry_out(context: Context) -> Evidence:
        evidence = Evidence(context.action.parents, split)
        if split:
            examples = tuple(epochs(context, context.run.task.splits[split], n))
            done = await perform(context.run, Rollout(context.action.parents, examples))
            evidence = replace(evidence, examples=examples, records=done.records)
        for name, block in blocks.items():
            if text := block(context, evidence):
                evidence = replace(evidence, blocks={**evidence.blocks, name: text})
        return evidence

    return carry_out
