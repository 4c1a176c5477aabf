"""Criticism before an edit: a model says what is wrong, and the editor is shown it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import cases, render
from optimand.queries.query import with_block

__all__ = ["Study", "critique", "studied"]

Study = Callable[[Context, Evidence], Awaitable[Evidence]]
"""Looks at the evidence and returns it with more in it, usually a block of text."""


def critique(
    template: str = "critique",
    role: str = "critic",
    *,
    scope: Literal["record", "joint"] = "record",
    into: str = "criticism",
    passed: bool = False,
    temperature: float | None = None,
) -> Study:
    """Ask `role` what should change, for each record apart or for all of them together.

    The template may use {current}, {parts}, {cases} and {context}. Only records that failed are
    shown, with `passed` all of them. The answers become the block `into`; unreadable ones are left
    out. Source: textual gradients (Yuksekgonul et al. 2024, Section 2); `scope` is the gradient
    stage's mode in arXiv:2605.26046.
    """

    async def look(context: Context, evidence: Evidence) -> Evidence:
        parent = evidence.parents[0]
        shown = cases(evidence, passed=passed)
        if not shown:
            return evidence
        names = context.parts
        values = {"current": render(context, parent, names), "parts": ", ".join(names)}
        groups = ["\n\n".join(shown)] if scope == "joint" else shown
        asked = [
            ask(
                context,
                role,
                prompt(template, {**values, "cases": group}, evidence.blocks),
                draw,
                temperature=temperature,
            )
            for draw, group in enumerate(groups)
        ]
        said = [r.text.strip() for r in await all_of(asked) if r.status == "ok" and r.text.strip()]
        return with_block(evidence, into, "\n\n".join(said))

    return look


def studied(study: Study, operator: Operator) -> Operator:
    """The operator, shown what `study` finds."""

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        return await operator(context, await study(context, evidence))

    return carry_out
