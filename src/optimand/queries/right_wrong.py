"""Pick training examples that the parent gets right, and as many that it gets wrong."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.proposal import Context
from optimand.core.record import Record
from optimand.queries.blocks import PASSED
from optimand.queries.query import Picker

__all__ = ["right_and_wrong"]


def right_and_wrong(batch: int = 8, most: int = 200) -> Picker:
    """Half of the n examples right, half wrong, drawn from batches run until there are enough.

    The first parent is run on batches of `batch` training examples in a new order, until enough
    are found, the data end or `most` are run; then there may be fewer of a kind. Outputs that
    break the rules ("invalid") say little about the text's meaning: they are shown only where
    nothing else is wrong.
    """

    async def pick(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
        need = {"right": n // 2, "wrong": n - n // 2}
        found: dict[str, list[Example]] = {"right": [], "wrong": [], "invalid": [], "unknown": []}
        order, size = _order(context, examples, most), max(batch, 1)
        for start in range(0, len(order), size):
            tried = order[start : start + size]
            done = await perform(context.run, Rollout(context.action.parents[:1], tried))
            for example, record in zip(tried, done.records, strict=True):
                found[_kind(record)].append(example)
            if all(len(found[kind]) >= count for kind, count in need.items()):
                break
        wrong = found["wrong"] or found["invalid"]
        return [
            *_some(context, found["right"], need["right"]),
            *_some(context, wrong, need["wrong"]),
        ]

    return pick


def _kind(record: Record) -> str:
    if record.status in ("invalid", "unknown"):
        return record.status
    return "right" if (record.score or 0.0) >= PASSED else "wrong"


def _some(context: Context, examples: list[Example], count: int) -> list[Example]:
    return context.rng.sample(examples, min(count, len(examples)))


def _order(context: Context, examples: Sequence[Example], most: int) -> tuple[Example, ...]:
    if endless(examples):
        return tuple(examples[context.number * most + i] for i in range(most))
    places = context.rng.sample(range(len(examples)), min(most, len(examples)))
    return tuple(examples[place] for place in places)
