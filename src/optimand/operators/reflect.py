"""A look back at the last winner, in a model's words, before the next round is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.proposal import Context, Evidence, Query
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import about
from optimand.queries.query import with_block
from optimand.queries.winners import LONGEST, REFLECTION, Winner, past_winners, told

__all__ = ["reflecting"]


def reflecting(look: Query, won: Sequence[Winner], role: str = "proposer") -> Query:
    """`look`, and then a block on what `role` thinks of the last winner.

    It compares it with the earlier ones, in a few sentences. A winner that has a reflection is not
    asked about again; an unreadable answer leaves the block out. Source: PromptPO,
    arXiv:2605.30719.
    """

    async def carry_out(context: Context) -> Evidence:
        evidence = await look(context)
        if not won or won[-1].reflection:
            return evidence
        values = {
            "task": about(context, evidence),
            "earlier": past_winners(won[:-1], mark=False)(context, evidence) or "none",
            "last": told(context, won[-1], "the last attempt"),
        }
        reply = await ask(context, role, prompt("reflect", values, {}))
        text = reply.text.strip()[:LONGEST] if reply.status == "ok" else ""
        return with_block(evidence, REFLECTION, text)

    return carry_out
