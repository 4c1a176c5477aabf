"""Which training examples to work on next: those of a failure pattern, or some never looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from optimand.core.example import Example, endless
from optimand.core.keys import seed_from
from optimand.core.model import object_schema
from optimand.core.proposal import Context
from optimand.memory.notes import Entry, Notes
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import render
from optimand.queries.query import Picker
from optimand.statistics.softmax import floored_softmax

__all__ = ["OPEN", "merit", "open_cases", "pull_or_draw"]

OPEN = 0.5
"""A case is open where its score is below this."""
ASPECTS = ("severity", "fixability", "breadth", "side_effect")
UNSAID = 0.5
SHOWN = 40
_NUMBER = {"type": "number"}
_ARM = {"pattern": {"type": "integer"}, **dict.fromkeys(ASPECTS, _NUMBER)}
_SCHEMA = object_schema({"scores": {"type": "array", "items": object_schema(_ARM)}})


def pull_or_draw(
    notes: Notes, *, role: str = "controller", temperature: float = 0.15, floor: float = 0.02
) -> Picker:
    """Examples of one pattern of `notes` (pull), or the next of a fixed permutation (draw).

    Arms are the patterns with open cases (see `open_cases`). Without arms it draws, without unseen
    examples it pulls; otherwise `role` decides, and an answer that cannot be read pulls. An arm is
    drawn with probability floor + (1 - K floor) softmax(merit / temperature), from scores by the
    same model (see `merit`). Nothing is drawn twice; with neither arms nor unseen examples there is
    nothing. For one search: what was met is kept. Source: ActiveSaddler (arXiv:2610.00906).
    """
    met: dict[str, Example] = {}
    order: Iterator[Example] | None = None
    left = 0

    async def pick(context: Context, examples: Sequence[Example], n: int) -> Sequence[Example]:
        nonlocal order, left
        if order is None:
            order, left = _permuted(context, examples), len(examples)
        arms = [e for e in notes if open_cases(context, e)]
        if arms and not (left and await _draws(context, role, arms, left)):
            shares = floored_softmax(await _merits(context, role, arms), temperature, floor)
            arm = context.rng.choices(arms, shares)[0]
            chosen = [met[i] for i in open_cases(context, arm) if i in met][:n]
        else:
            chosen = [one for _, one in zip(range(n), order, strict=False)]
            left -= len(chosen)
        met.update((one.id, one) for one in chosen)
        return chosen

    return pick


def open_cases(context: Context, entry: Entry) -> list[str]:
    """Its examples that the present candidate fails, or was not run on."""
    records = context.memory.records(context.action.parents[0], "train")
    scores = {r.example: r.score for r in records}
    return [i for i in entry.seen if scores.get(i) is None or scores[i] < OPEN]


def merit(said: Any) -> float:
    """Mean of severity, fixability, breadth and 1 - side_effect, each cut to [0, 1].

    What is missing, or is no number, counts as one half.
    """
    given = said if isinstance(said, dict) else {}
    severity, fixability, breadth, side = (_unit(given.get(name)) for name in ASPECTS)
    return (severity + fixability + breadth + (1.0 - side)) / 4.0


def _unit(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return UNSAID
    return min(1.0, max(0.0, float(value)))


async def _draws(context: Context, role: str, arms: Sequence[Entry], left: int) -> bool:
    unseen = "more than can be counted" if left > 1_000_000 else str(left)
    values = {"patterns": _listed(context, arms), "unseen": unseen}
    text = prompt("pull_or_draw", values, {})
    reply = await ask(context, role, text, choices=("pull", "draw"))
    return bool(reply.parsed == "draw")


async def _merits(context: Context, role: str, arms: Sequence[Entry]) -> list[float]:
    """The merit of each arm; 1/2 where nothing readable was said of it."""
    parent, names = context.action.parents[0], context.surface.names
    values = {"current": render(context, parent, names), "patterns": _listed(context, arms)}
    parsed = (await ask(context, role, prompt("arm_scores", values, {}), schema=_SCHEMA)).parsed
    said = parsed.get("scores") if isinstance(parsed, dict) else None
    rows = [row for row in said if isinstance(row, dict)] if isinstance(said, list) else []
    by_number = {str(row.get("pattern")): row for row in rows}
    return [merit(by_number.get(str(i))) for i in range(1, len(arms) + 1)]


def _listed(context: Context, arms: Sequence[Entry]) -> str:
    return "\n".join(
        f"{i}. {arm.name}: {arm.text} ({len(open_cases(context, arm))} open of {len(arm.seen)})"
        for i, arm in enumerate(arms[:SHOWN], 1)
    )


def _permuted(context: Context, examples: Sequence[Example]) -> Iterator[Example]:
    """A fixed permutation; endless examples in their order."""
    if endless(examples):
        return iter(examples)
    order = list(examples)
    random.Random(seed_from(context.run.seed, "permutation")).shuffle(order)
    return iter(order)
