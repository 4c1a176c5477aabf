"""Compose a query: run the parents on picked examples, then write blocks of text about it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace

from optimand.core.action import Rollout
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evidence, Query
from optimand.queries.pickers import Picker, epochs

__all__ = ["Block", "query"]

Block = Callable[[Context, Evidence], "str | Awaitable[str]"]
"""Writes one block of text about the evidence; "" leaves it out."""


def query(
    split: str = "", n: int = 3, pick: Picker = epochs, *, repeats: bool = False, **blocks: Block
) -> Query:
    """Run the parents on `n` picked examples of `split` ("" runs nothing), then write `blocks`.

    Blocks appear in the order given, under their names. With `repeats`, an example that a parent
    has already met is drawn anew (noisy scores); otherwise its record is used again for free.
    """

    async def carry_out(context: Context) -> Evidence:
        evidence = Evidence(context.action.parents, split)
        if split:
            examples = pick(context, context.run.task.splits[split], n)
            picked = await examples if inspect.isawaitable(examples) else examples
            repeat = context.number if repeats else 0
            action = Rollout(context.action.parents, tuple(picked), repeat)
            done = await perform(context.run, action)
            evidence = replace(evidence, examples=tuple(picked), records=done.records)
        for name, block in blocks.items():
            written = block(context, evidence)
            text = await written if inspect.isawaitable(written) else written
            if text:
                evidence = replace(evidence, blocks={**evidence.blocks, name: text})
        return evidence

    return carry_out
