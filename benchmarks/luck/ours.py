"""`optimand.pick` on the start and a pool of proposals, and what a careful user then returns."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from benchmarks.luck.worlds import Outcome, World

from optimand.core.artifact import Artifact, Candidate
from optimand.core.budget import Budget
from optimand.core.example import Example
from optimand.core.verdict import Standing
from optimand.picking import pick
from optimand.tasks.function import FunctionTask

__all__ = ["READINGS", "ours"]

READINGS = {
    "leader": "best so far, proven or not",
    "decided": "best if decided, else start",
    "interval": "best if its interval is above the start's, else start",
}


def coin(value: Mapping[str, Any], example: Example, seed: int) -> float:  # noqa: ARG001
    """1 with the candidate's true accuracy. Throws of two candidates are independent.

    With the shared seed alone equal candidates would score equally, which would be a gift.
    """
    return float(random.Random(seed * 1_024 + value["place"]).random() < value["accuracy"])


def ours(world: World, seed: int, budget: int, delta: float, arms: int = 20) -> dict[str, Outcome]:
    """What is returned under each of READINGS, after at most `budget` metric calls."""
    pool = [
        Candidate(
            Artifact({"value": {"place": i, "accuracy": p}}), f"proposal {i}" if i else "start"
        )
        for i, p in enumerate(world.pool(seed, arms))
    ]
    result = pick(
        pool, FunctionTask(coin), confidence=1 - delta, budget=Budget(rollouts=budget), seed=seed
    )
    standing = {candidate.name: s for candidate, s in result.ranking}
    best = result.best or pool[0]
    above = standing[best.name].low > standing["start"].high
    returned = {
        "leader": best,
        "decided": best if result.decided else pool[0],
        "interval": best if above else pool[0],
    }
    calls = int(result.spent["rollouts"])
    return {name: _outcome(c, standing[c.name], calls) for name, c in returned.items()}


def _outcome(candidate: Candidate, standing: Standing, calls: int) -> Outcome:
    value = candidate.artifact.parts["value"]
    return Outcome(
        standing.estimate,
        value["accuracy"],
        value["place"] != 0,
        calls,
        standing.low,
        standing.high,
    )
