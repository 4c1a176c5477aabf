"""Duels on pools with known win rates: comparisons used against the least possible, and errors.

`python -m benchmarks small` takes less than a minute, `python -m benchmarks full` much longer.
`python -m benchmarks luck small` and `luck full` show how much of a best score is luck.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass

import numpy as np
from benchmarks.instances import INSTANCES, Instance

from optimand.statistics.duel import DuelOptions
from optimand.statistics.lower_bound import unstructured
from optimand.statistics.simulate import DuelRuns, simulate_duels

__all__ = ["main", "row"]

DELTA = 0.05
SMALL = ("K2 at .60", "K5 BT .4", "K10 BT .3", "K10 hard gap", "K2 equal")


@dataclass(frozen=True)
class Size:
    """Which pools, how many runs of each, and where a run is cut off."""

    names: tuple[str, ...]
    runs: int
    horizon: int


SIZES = {
    "small": Size(SMALL, 200, 6_000),
    "full": Size(tuple(INSTANCES), 400, 20_000),
}


def main() -> None:
    """Print one row for each pool."""
    if sys.argv[1:2] == ["luck"]:
        from benchmarks.luck.table import main as luck

        luck(sys.argv[2:])
        return
    if sys.argv[1:2] == ["engine"]:
        from benchmarks.engine import main as engine

        engine()
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    size = SIZES[chosen.size]
    print(f"confidence {1 - DELTA}, {size.runs} runs each, cut off at {size.horizon} comparisons")
    print("| pool | comparisons (standard error) | of the least | wrong | cut off | seconds |")
    print("|---|---|---|---|---|---|")
    for name in size.names:
        began = time.perf_counter()
        cells = row(INSTANCES[name], size, chosen.seed)
        print(f"| {name} | {' | '.join(cells)} | {time.perf_counter() - began:.0f} |", flush=True)


def row(instance: Instance, size: Size, seed: int) -> list[str]:
    """Mean comparisons, their ratio to T* ln(1/delta), wrong answers, runs cut off."""
    runs = simulate_duels(
        instance.rates,
        np.random.default_rng(seed),
        size.runs,
        DuelOptions(delta=DELTA),
        instance.ties,
        instance.grader,
        size.horizon,
    )
    mean, error = runs.tau.mean(), runs.tau.std(ddof=1) / math.sqrt(size.runs)
    cut = int((runs.kind == 0).sum())
    wrong = int(((runs.kind != 0) & (runs.answer != instance.best)).sum())
    return [f"{mean:.0f} ({error:.0f})", _ratio(instance, runs), str(wrong), str(cut)]


def _ratio(instance: Instance, runs: DuelRuns) -> str:
    """Nothing where no least is known: no unique best, ties or graded scores, or runs cut off."""
    plain = instance.ties == 0 and instance.grader is None and instance.best >= 0
    if not plain or (runs.kind == 0).any():
        return ""
    least = unstructured(instance.rates).time * math.log(1 / DELTA)
    return f"{runs.tau.mean() / least:.2f}"


if __name__ == "__main__":
    main()
