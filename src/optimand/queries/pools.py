"""Minibatches from the examples that the start gets wrong."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.proposal import Context
from optimand.queries.blocks import PASSED
from optimand.queries.minibatch import epochs
from optimand.queries.query import Picker

__all__ = ["failed_by_start"]

CHUNK = 8
FARTHEST = 10
"""How many times the pool's size is looked through at most, where examples are endless."""


def failed_by_start(pool: int, below: float = PASSED) -> Picker:
    """Examples on which the start scores below `below`: a pool of `pool`, then epochs over it.

    The first call runs the start, a few examples at a time, until the pool is full or the split
    ends. For one search: the pool is kept.
    """
    found: list[Example] = []
    searched = False

    async def pick(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
        nonlocal searched
        if not searched:
            found.extend(await _failed(context, examples, pool, below))
            searched = True
        return await epochs(context, found, n) if found else ()

    return pick


async def _failed(
    context: Context, examples: Sequence[Example], pool: int, below: float
) -> list[Example]:
    start, found = context.memory.start, list[Example]()
    last = pool * FARTHEST if endless(examples) else len(examples)
    for begin in range(0, last, CHUNK):
        if len(found) >= pool:
            break
        chunk = tuple(examples[begin : min(begin + CHUNK, last)])
        done = await perform(context.run, Rollout((start,), chunk))
        scores = {r.example: r.score for r in done.records if r.status != "unknown"}
        found += [e for e in chunk if (score := scores.get(e.id)) is not None and score < below]
    return found[:pool]
