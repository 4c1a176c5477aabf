"""Races by score, side by side: rollouts used and wrong answers.

`python -m benchmarks.pick.races small` takes less than a minute, `full` about an hour.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from benchmarks.pick.races.methods import METHODS, Way
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import WORLDS, Tables, World
from benchmarks.pick.summary import clopper_pearson, paired_ratio

__all__ = ["main", "measure"]

DELTA = 0.05
SMALL = ("binary, 6 apart, all 400 examples", "graded, 6, fresh examples")
SLOW = ("Wilcoxon pruning", "top-two Thompson, classical", "top-two Thompson, heuristic")
HEAD = (
    "| method | promise | rollouts | ours / it | wrong | 95 % interval | undecided | s |\n"
    "|---|---|---|---|---|---|---|---|"
)


def main(arguments: list[str] | None = None) -> None:
    """Print one table for each world, and write them all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pick.races", description=__doc__)
    parser.add_argument("size", choices=("small", "full"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--world", action="append", help="only worlds with this in their name")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="results/pick", help="folder for the tables")
    options = parser.parse_args(arguments)
    small = options.size == "small"
    chosen = [w for w in WORLDS if w.name in SMALL or not small]
    if options.world:
        chosen = [w for w in chosen if any(part in w.name for part in options.world)]
    parts = []
    for world in chosen:
        ways = [w for w in METHODS if not (small and w.name in SLOW)]
        runs = options.runs or (40 if small else 200)
        parts.append(measure(world, ways, runs, options.seed))
        print(parts[-1], flush=True)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "races.md").write_text("\n".join(parts), encoding="utf-8")
    print(f"written: {folder / 'races.md'}")


def measure(world: World, ways: list[Way], runs: int, seed: int) -> str:
    """The table of one world; all methods see the same scores."""
    tables = world.draw(runs, seed)
    rows, ours, budget = [], np.ones(runs), 0
    for way in ways:
        began = time.process_time()
        outcome = way.method(tables, DELTA, budget)
        spent = time.process_time() - began
        if way.name == "optimand":
            ours, budget = outcome.rollouts.astype(float), round(outcome.rollouts.mean())
        rows.append(_row(way, outcome, tables, ours, spent))
    return "\n".join([f"\n### {world.name}, {runs} runs\n", HEAD, *rows])


def _row(way: Way, outcome: Outcome, tables: Tables, ours: np.ndarray, spent: float) -> str:
    wrong = int((outcome.decided & tables.wrong(outcome.answer)).sum())
    low, high = clopper_pearson(wrong, len(ours))
    used = outcome.rollouts.astype(float)
    ratio, least, most = paired_ratio(ours, used)
    undecided = 1.0 - outcome.decided.mean()
    cells = [
        way.name,
        way.promise,
        f"{'≥ ' if undecided else ''}{used.mean():.0f}",
        "" if way.name == "optimand" else f"{ratio:.2f} ({least:.2f}-{most:.2f})",
        f"{wrong} of {len(ours)}",
        f"{100 * low:.1f}-{100 * high:.1f} %",
        f"{100 * undecided:.0f} %",
        f"{spent:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
