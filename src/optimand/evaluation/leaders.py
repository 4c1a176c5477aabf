"""Keep the best of a step's proposals, by how they rank against one another."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.proposal import Context, Evaluate, Evidence, Trial

__all__ = ["in_turn", "leaders"]


def leaders(count: int, split: str = "batch") -> Evaluate:
    """Drop all but the `count` proposals of highest mean on `split`; the earlier wins a tie."""

    async def evaluate(
        context: Context,  # noqa: ARG001
        evidence: Evidence,  # noqa: ARG001
        trials: list[Trial],
    ) -> list[Trial]:
        running = [i for i, t in enumerate(trials) if t.accepted and t.candidate]
        kept = set(sorted(running, key=lambda i: -trials[i].score(split))[:count])
        why = f"not among the best {count} of its step"
        return [
            replace(t, accepted=False, why=why) if i in running and i not in kept else t
            for i, t in enumerate(trials)
        ]

    return evaluate


def in_turn(*evaluations: Evaluate) -> Evaluate:
    """One evaluation after the other; each sees what the one before it left."""

    async def evaluate(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:
        for one in evaluations:
            trials = await one(context, evidence, trials)
        return trials

    return evaluate
