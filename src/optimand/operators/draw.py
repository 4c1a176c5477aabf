"""Random draws of the typed settings, alone or after a rewrite of the texts."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.edit import child

__all__ = ["drawn"]


def drawn(rewrite: Operator, name: str = "draw") -> Operator:
    """`rewrite` the first parent's texts if any may change, and draw its typed settings anew.

    Settings are uniform in their space (see `optimand.artifacts.space`). Without texts that may
    change, no model is asked.
    """

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        surface = context.surface
        if surface.texts:
            trials = await rewrite(context.narrowed(parts=surface.texts), evidence)
        else:
            trials = [Trial(evidence.parents[0]) for _ in range(context.action.width)]
        return [_drawn(context, trial, name) for trial in trials]

    return carry_out


def _drawn(context: Context, trial: Trial, name: str) -> Trial:
    settings = context.surface.settings
    if trial.candidate is None or not settings:
        return trial
    values = {n: setting.draw(context.rng) for n, setting in settings.items()}
    changed = child(context, (trial.candidate,), values, name)
    if changed.candidate is None:
        return changed
    ids = tuple(parent.id for parent in context.action.parents)
    return replace(changed, candidate=replace(changed.candidate, parents=ids))
