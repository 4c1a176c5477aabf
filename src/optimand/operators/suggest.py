"""Ask for new values by name, as JSON: {reasoning, suggestion: {name: value}}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from optimand.core.gather import all_of
from optimand.core.model import Reply
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.edit import child
from optimand.operators.replies import parts_of
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import plain, render

__all__ = ["REASONING", "suggest"]

REASONING = "reasoning"
"""Where a trial's `meta` holds what the model thought."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "suggestion": {"type": "object"}},
    "required": ["reasoning", "suggestion"],
}


def suggest(
    template: str, role: str = "proposer", *, name: str = "", temperature: float | None = None
) -> Operator:
    """Ask `role` for `width` suggestions of new values of the first parent's parts.

    Names that are no part are ignored; values are cast to the type of the part, so that "3" will
    do for 3, and must keep its limits. The template may use {context}, {current} and {parts}.
    Where the reply is no JSON, values are read from part tags, as `edit` does.
    """

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        parent = evidence.parents[0]
        names = context.parts
        known = {"current": render(context, parent, names), "parts": ", ".join(names)}
        text = prompt(template, known, evidence.blocks)
        replies = await all_of(
            [
                ask(context, role, text, draw, temperature=temperature, schema=SCHEMA)
                for draw in range(context.action.width)
            ]
        )
        return [_trial(context, evidence, reply, names, name or template) for reply in replies]

    return operator


def _trial(
    context: Context, evidence: Evidence, reply: Reply, names: Sequence[str], label: str
) -> Trial:
    parsed = reply.parsed if isinstance(reply.parsed, Mapping) else {}
    given = parsed.get("suggestion")
    found = dict(given) if isinstance(given, Mapping) else parts_of(reply.text, names)
    if found is None:
        return Trial(None, False, "the reply could not be read")
    texts = context.surface.texts
    changes = {n: _text(v) if n in texts else v for n, v in found.items() if n in names}
    if not changes:
        return Trial(None, False, "nothing was suggested")
    trial = child(context, evidence.parents, changes, label)
    if trial.candidate and trial.candidate.id == evidence.parents[0].id:
        trial = Trial(None, False, "no change")
    return replace(trial, meta={REASONING: plain(parsed.get("reasoning", ""))})


def _text(value: Any) -> Any:
    """Numbers stand for their text; anything else is for the surface to refuse."""
    return str(value) if isinstance(value, int | float) else value
