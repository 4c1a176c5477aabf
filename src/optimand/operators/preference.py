"""Improve the loser: a judge compares two candidates' outputs and criticizes the worse."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.model import object_schema
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.queries.ask import ask, prompt
from optimand.queries.pairs import side_by_side
from optimand.queries.query import with_block

__all__ = ["LOST", "loser_improved"]

LOST = "lost"
"""Where a trial's `meta` holds the id of the candidate that lost."""
VERDICT = object_schema(
    {"feedback": {"type": "string"}, "preferred": {"type": "integer", "enum": [1, 2]}}
)


def loser_improved(
    rewrite: Operator, criteria: str, *, role: str = "judge", labels: bool = False
) -> Operator:
    """Ask `role` which of the two parents answered better; `rewrite` the other.

    criteria: what a good answer does, in words. The judge sees inputs and outputs in the order of
    the parents; `labels` shows it the targets too. `rewrite` sees the loser, what the judge saw,
    and its criticism. An unreadable verdict is a Trial without a candidate. Source: PrefPO.
    """

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        pairs = side_by_side(evidence, labels=labels)
        if not pairs:
            return [Trial(None, False, "no outputs to compare")]
        text = prompt("prefer", {"criteria": criteria, "pairs": pairs}, {})
        verdict = (await ask(context, role, text, schema=VERDICT)).parsed
        if verdict is None:
            return [Trial(None, False, "the judge's verdict could not be read")]
        lost = evidence.parents[2 - int(verdict["preferred"])]
        side = evidence.parents.index(lost) + 1
        shown = with_block(replace(evidence, parents=(lost,)), "answers", pairs)
        shown = with_block(
            shown, "verdict", f"Yours are the outputs {side}; the others are better."
        )
        shown = with_block(shown, "criticism", verdict["feedback"].strip())
        return [replace(t, meta={**t.meta, LOST: lost.id}) for t in await rewrite(context, shown)]

    return carry_out
