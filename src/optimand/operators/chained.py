"""One operator after the other, each going on from what the one before wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimand.core.proposal import Context, Evidence, Operator, Trial

__all__ = ["chained"]


def chained(operators: Sequence[Operator]) -> Operator:
    """One proposal from all operators in turn; a child of the first parent.

    One that proposes nothing is passed over; where all do, the last one's reason is returned.
    """

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        parents, last = evidence.parents, Trial(None, False, "there is no operator")
        current = parents[0]
        for operator in operators:
            last = (await operator(context, replace(evidence, parents=(current,))))[0]
            if last.candidate is not None and last.accepted:
                current = last.candidate
        if current.id == parents[0].id:
            return [
                last if last.candidate is None else replace(last, accepted=False, why="no change")
            ]
        return [Trial(replace(current, parents=tuple(parent.id for parent in parents)))]

    return carry_out
