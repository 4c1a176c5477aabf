"""What a log keeps of a search besides its calls: the candidates, and what became of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from optimand.core.keys import content_hash
from optimand.core.proposal import Step, Trial
from optimand.core.run import Run
from optimand.core.store import Event

__all__ = ["note_candidates", "note_step"]


async def note_candidates(run: Run, trials: Sequence[Trial]) -> None:
    """Log what was proposed, each candidate once, with its parts and parents."""
    fresh = {}
    for one in (trial.candidate for trial in trials):
        if one is not None and run.log.find(key := content_hash("candidate", one.id)) is None:
            body: dict[str, Any] = {"id": one.id, "name": one.name, "parents": list(one.parents)}
            body |= {"operator": one.operator, "parts": dict(one.artifact.parts)}
            fresh[key] = Event("candidate", body, key, run.ledger.seconds)
    if fresh:
        await run.log.write(list(fresh.values()), may_wait=True)


async def note_step(run: Run, number: int, step: Step) -> None:
    """Log, once, what became of a step's proposals, and what was spent until then."""
    key = content_hash("step", number)
    if run.log.find(key) is not None:
        return
    body = {
        "number": number,
        "package": step.action.params.get("package"),
        "parents": [parent.id for parent in step.action.parents],
        "trials": [_trial(trial) for trial in step.trials],
        "spent": run.ledger.spent(),
    }
    await run.log.write([Event("step", body, key, run.ledger.seconds)], may_wait=True)


def _trial(trial: Trial) -> dict[str, Any]:
    scores = {split: trial.score(split) for split in trial.records}
    return {
        "candidate": trial.candidate.id if trial.candidate else None,
        "accepted": trial.accepted,
        "why": trial.why,
        "scores": {split: score for split, score in scores.items() if math.isfinite(score)},
    }
