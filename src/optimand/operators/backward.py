"""Textual gradients in three stages: assess outputs, say how the text should change, rewrite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.chained import chained
from optimand.operators.faults import Note, faults, grouped, joined
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import WHOLE, cut, render
from optimand.queries.query import with_block

__all__ = ["GRADIENT", "Mode", "backward"]

Mode = Literal["SSS", "SSC", "SCC", "CCC"]
"""Loss, gradient and optimizer stage: S, one call for each unit; C, one for all that belong
together. What was combined cannot be taken apart again, so later stages stay combined."""
GRADIENT = "gradient"
"""Where a trial's `meta` holds the whole criticism that led to it."""


@dataclass(frozen=True)
class _Stage:
    template: str
    role: str
    temperature: float | None
    separate: bool


def backward(
    rewrite: Operator,
    mode: Mode = "SSC",
    *,
    criteria: Sequence[str] = (),
    role: str = "critic",
    temperature: float | None = 0.3,
) -> Operator:
    """Assess what failed, ask what should change in the first parent, and let `rewrite` change it.

    The unit is a failed record and, with `criteria` (names of objectives), each of them that it
    failed. Combined, loss and gradient have one call for a record with all its criteria, or,
    without criteria, one for all records. A separate optimizer rewrites once for each criterion
    (or record), each going on from the last; where a criterion is the name of a part, it changes
    that part only. A combined one rewrites once. `rewrite` finds the criticism in the block
    "criticism". Sources: TextGrad (arXiv:2406.07496, Section 2); modes: arXiv:2605.26046.
    """
    loss = _Stage("loss", role, temperature, mode[0] == "S")
    gradient = _Stage("gradient", role, temperature, mode[1] == "S")

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        notes = faults(evidence, criteria)
        if not notes:
            return [Trial(None, False, _nothing(evidence, criteria))]
        said = await _ask_each(context, evidence, notes, loss)
        said = [replace(note, cases=note.cases + note.said, said=()) for note in said]
        said = await _ask_each(context, evidence, said, gradient)
        if not said:
            return [Trial(None, False, "the critic said nothing")]
        groups = grouped(said, _optimized) if mode[2] == "S" else [joined(said)]
        rewrites = chained([_told(rewrite, group) for group in groups])
        (trial,) = await rewrites(context, evidence)
        return [replace(trial, meta={**trial.meta, GRADIENT: _text(joined(said))})]

    return carry_out


async def _ask_each(
    context: Context, evidence: Evidence, notes: Sequence[Note], stage: _Stage
) -> list[Note]:
    """The notes, joined where combined, with what was said; without those that got no answer."""
    units = list(notes) if stage.separate else grouped(notes, _looked_at)
    current = render(context, evidence.parents[0], context.parts)
    calls = []
    for draw, unit in enumerate(units):
        values = {"current": current, "case": cut(unit.text, WHOLE), "criteria": _criteria(unit)}
        text = prompt(stage.template, values, {})
        calls.append(ask(context, stage.role, text, draw, temperature=stage.temperature))
    replies = await all_of(calls)
    return [
        replace(unit, said=(_labelled(unit, reply.text.strip()),))
        for unit, reply in zip(units, replies, strict=True)
        if reply.status == "ok" and reply.text.strip()
    ]


def _told(rewrite: Operator, group: Note) -> Operator:
    """The rewrite, shown one group's criticism; a criterion that is a part changes that only."""

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        named = group.criteria and set(group.criteria) <= set(context.surface.names)
        there = context.narrowed(parts=group.criteria) if named else context
        return await rewrite(there, with_block(evidence, "criticism", _text(group)))

    return carry_out


def _looked_at(note: Note) -> object:
    return note.examples if note.criteria else ()


def _optimized(note: Note) -> object:
    return note.criteria or note.examples


def _labelled(note: Note, said: str) -> str:
    return f"{', '.join(note.criteria)}: {said}" if note.criteria else said


def _criteria(note: Note) -> str:
    return "\n".join(f"- {name}" for name in note.criteria) or "the case's score and feedback"


def _text(note: Note) -> str:
    return cut("\n\n".join(note.said), WHOLE)


def _nothing(evidence: Evidence, criteria: Sequence[str]) -> str:
    """Why there is nothing to criticize."""
    known = {name for record in evidence.records for name in record.objectives}
    if criteria and not known & set(criteria):
        have = ", ".join(sorted(known)) or "none"
        return f"no run has an objective named {', '.join(criteria)}; there is {have}"
    return "nothing to criticize: the whole batch passed"
