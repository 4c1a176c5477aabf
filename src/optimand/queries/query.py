"""Compose a query: run the parents on a minibatch, then write blocks of text about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evidence, Query
from optimand.queries.minibatch import epochs

__all__ = ["Block", "Picker", "query", "with_block", "with_blocks"]

Picker = Callable[[Context, Sequence[Example], int], Awaitable[Sequence[Example]]]
"""Chooses n training examples for a step; it may run the parents to do so."""
Block = Callable[[Context, Evidence], str]
"""Writes one block of text about the evidence; "" leaves it out."""


def query(
    split: str = "", n: int = 3, pick: Picker = epochs, *, anew: bool = False, **blocks: Block
) -> Query:
    """Run the parents on `n` examples of `split` ("" runs nothing), then write `blocks`.

    Blocks appear in the order given, under their names. An example that a parent has already met is
    not run again; with `anew` it is, by a draw of its own in each epoch (for noisy tasks).
    """

    async def carry_out(context: Context) -> Evidence:
        evidence = Evidence(context.action.parents, split)
        if split:
            pool = context.run.task.splits[split]
            examples = tuple(await pick(context, pool, n))
            repeat = context.number * n // len(pool) if anew and not endless(pool) else 0
            done = await perform(context.run, Rollout(context.action.parents, examples, repeat))
            evidence = replace(evidence, examples=examples, records=done.records)
        return with_blocks(context, evidence, blocks)

    return carry_out


def with_blocks(context: Context, evidence: Evidence, blocks: Mapping[str, Block]) -> Evidence:
    """The evidence with blocks of text written about it, in order; empty ones are left out."""
    for name, block in blocks.items():
        evidence = with_block(evidence, name, block(context, evidence))
    return evidence


def with_block(evidence: Evidence, name: str, text: str) -> Evidence:
    """The evidence with one more block of text; unchanged where there is none."""
    return replace(evidence, blocks={**evidence.blocks, name: text}) if text else evidence
