"""Minibatches: which examples the evidence comes from."""

from __future__ import annotations

import random
from collections.abc import Sequence

from optimand.core.example import Example, endless
from optimand.core.keys import seed_from
from optimand.core.proposal import Context

__all__ = ["epochs"]


async def epochs(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
    """The `n` of this step, in epochs that are shuffled anew; an endless split is read in order."""
    if endless(examples):
        return [examples[context.number * n + i] for i in range(n)]
    size = len(examples)
    n = min(n, size)
    picked: list[Example] = []
    for place in range(context.number * n, context.number * n + n):
        epoch, index = divmod(place, size)
        order = list(range(size))
        random.Random(seed_from(context.run.seed, "epoch", epoch)).shuffle(order)
        picked.append(examples[order[index]])
    return list({example.id: example for example in picked}.values())
