"""OptiCom beside its own frozen strategies and ablations, at equal spend.

`python -m benchmarks.improve.opticom [SEEDS [ROLLOUTS]]`. Every way is the same loop of the same
parts: `fixed` ways always use one operator, the ablations leave one thing out. Ranks (1 is best,
ties share) are by the true quality of what a run calls its best, over worlds and seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from benchmarks.improve.worlds import WORLDS, World, editor

import optimand
from optimand import Budget
from optimand.operators.named import OPERATORS

__all__ = ["WAYS", "main", "quality", "ranks"]

WAYS: Mapping[str, Mapping[str, Any]] = {
    "opticom": {},
    "no controller (random)": {"controller": "random", "adapter": False},
    "no adapter": {"adapter": False},
    "no invention": {"invent": False},
    "no experience": {"experience": False},
    **{f"always {name}": {"controller": "fixed", "operator": name} for name in OPERATORS},
}


def quality(world: World, options: Mapping[str, Any], seed: int, rollouts: int) -> float:
    """The truth about the best of one run."""
    found = optimand.improve(
        world.artifact(),
        world.task(),
        method={"type": "opticom", "steps": 1000, **options},
        proposer=editor(world),
        change={"limits": dict.fromkeys(world.parts, world.limit)},
        budget=Budget(rollouts=rollouts),
        seed=seed,
    )
    best = found.search.best
    return world.quality(found.known[best].artifact.parts) if best else 0.0


def ranks(table: np.ndarray) -> np.ndarray:
    """Ranks (N, W) of qualities (N, W), 1 the best; ties share their mean rank."""
    better = (table[:, None, :] > table[:, :, None] + 1e-9).sum(2)
    equal = (np.abs(table[:, None, :] - table[:, :, None]) <= 1e-9).sum(2)
    return np.asarray(better + (equal + 1) / 2)


def main(arguments: list[str] | None = None) -> None:
    """Print mean quality by world and way, and mean ranks with intervals."""
    given = [int(a) for a in (sys.argv[1:] if arguments is None else arguments)]
    seeds, rollouts = (*given, *(10, 500)[len(given) :])[:2]
    rows = []
    print("| world | " + " | ".join(WAYS) + " |\n|---" + "|---" * len(WAYS) + "|")
    for world in WORLDS:
        found = np.array(
            [[quality(world, way, s, rollouts) for way in WAYS.values()] for s in range(seeds)]
        )
        rows.append(found)
        print(
            f"| {world.name} | " + " | ".join(f"{v:.2f}" for v in found.mean(0)) + " |", flush=True
        )
    place = np.stack([ranks(found).mean(0) for found in rows])
    error = 1.96 * place.std(0, ddof=1) / np.sqrt(len(rows))
    cells = [f"{m:.2f} ± {e:.2f}" for m, e in zip(place.mean(0), error, strict=True)]
    print("| **mean rank** | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
