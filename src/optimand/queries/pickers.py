"""Which examples the evidence comes from."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence

from optimand.core.example import Example, endless
from optimand.core.keys import seed_from
from optimand.core.proposal import Context

__all__ = ["Picker", "epochs", "fixed", "random_sample", "right_and_wrong"]

Picker = Callable[
    [Context, Sequence[Example], int], "Sequence[Example] | Awaitable[Sequence[Example]]"
]


def epochs(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
    """The next `n` in shuffled epochs: every example is used once before any is used again."""
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


def random_sample(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
    """`n` at random, anew in every step."""
    if endless(examples):
        return epochs(context, examples, n)
    return context.rng.sample(list(examples), min(n, len(examples)))


def fixed(chosen: Sequence[Example]) -> Picker:
    """Always these, whatever the split holds."""
    return lambda _context, _examples, _n: chosen


async def right_and_wrong(
    context: Context, examples: Sequence[Example], n: int, threshold: float = 1.0
) -> Sequence[Example]:
    """`n` that the first parent gets right and `n` that it gets wrong, as far as there are.

    Runs the parent on the examples in random order until both are found; these runs are metered.
    """
    parent = context.action.parents[0]
    right: list[Example] = []
    wrong: list[Example] = []
    for example in context.rng.sample(list(examples), len(examples)):
        record = await context.run.rollout(parent, example)
        if record.score is not None and record.status != "unknown":
            (right if record.score >= threshold else wrong).append(example)
        if len(right) >= n and len(wrong) >= n:
            break
    return right[:n] + wrong[:n]
