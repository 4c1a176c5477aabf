"""Duels side by side: our strategies and the published ones on pools with a known truth.

`python -m benchmarks.pick small` takes about a minute and a half, `full` some hours. Tables, raw
results and a picture are written to the folder named by --out.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import time
from pathlib import Path

from benchmarks.pick import bars, plot, report, results
from benchmarks.pick.plan import PLANS, Cell, cells
from benchmarks.pick.play import Runs, play
from benchmarks.pick.pools import all_pools
from benchmarks.pick.real import VARIABLE, locate, real_pools
from benchmarks.pick.summary import Line, summarise
from benchmarks.pick.timing import decision_times

__all__ = ["main"]

_work: list[Cell] = []


def main(arguments: list[str] | None = None) -> None:
    """Play, print the comparison and the bars, write everything else."""
    options = _options(arguments)
    plan = PLANS[options.size]
    if options.runs:
        plan = dataclasses.replace(plan, runs=options.runs)
    if options.checks:
        plan = dataclasses.replace(plan, checks=options.checks)
    pools = all_pools()
    data = locate(options.judgements)
    if data is None:
        print(f"no real judgements: set {VARIABLE} to llmfao.csv (see docs/benchmarks.md).")
    elif options.size == "full":
        pools |= {pool.name: pool for pool in real_pools(data)}
    if options.pool:
        pools = {name: pool for name, pool in pools.items() if any(p in name for p in options.pool)}
    _work[:] = cells(plan, pools, options.seed)
    began = time.perf_counter()
    lines, table = _play_all(options.jobs)
    _write(lines, table, Path(options.out))
    print(f"{len(_work)} cells in {time.perf_counter() - began:.0f} s")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pick", description=__doc__)
    parser.add_argument("size", choices=PLANS)
    parser.add_argument("--runs", type=int, help="runs per cell, instead of the plan's")
    parser.add_argument("--checks", type=int, help="runs in which errors are counted")
    parser.add_argument("--pool", action="append", help="only pools with this in their name")
    parser.add_argument("--judgements", help="path of llmfao.csv")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--out", default="results/pick", help="folder for tables and results")
    return parser.parse_args(arguments)


def _play_all(jobs: int) -> tuple[list[Line], list[results.Row]]:
    """Figures and raw rows of every cell; the result does not depend on the number of jobs."""
    indices = range(len(_work))
    # Forking hands the cells over as they are; strategies are functions that cannot be pickled.
    if jobs > 1 and "fork" in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context("fork").Pool(jobs) as workers:
            played = workers.map(_play, indices, chunksize=1)
    else:
        played = [_play(index) for index in indices]
    lines = [summarise(cell, runs) for cell, runs in zip(_work, played, strict=True)]
    rows = [
        row for cell, runs in zip(_work, played, strict=True) for row in results.rows(cell, runs)
    ]
    return lines, rows


def _play(index: int) -> Runs:
    cell = _work[index]
    return play(cell.pool, cell.strategy.maker, cell.runs, cell.delta, cell.seed, cell.horizon)


def _write(lines: list[Line], rows: list[results.Row], folder: Path) -> None:
    written = results.write(rows, folder / "runs")
    title = "Comparisons until decided, in multiples of T* ln(1/δ), δ = 0.05"
    (folder / "pick.svg").write_text(plot.draw(lines, title), encoding="utf-8")
    short = [
        "## Ours against the best of the others",
        report.versus_table(lines),
        "## Over all pools",
        report.overall_table(lines),
        "## Bars",
        bars.table(bars.measure(lines)),
        "## Wrong answers of the default at δ = 0.1",
        report.error_table(lines),
        report.slope_table(lines),
        "## Time to decide, one search at a time",
        decision_times(),
    ]
    print("\n\n".join(part for part in short if part))
    (folder / "pick.md").write_text(
        "\n\n".join([*short, "## All strategies", report.duel_table(lines)]) + "\n",
        encoding="utf-8",
    )
    print(f"\nwritten: {written}, {folder / 'pick.md'}, {folder / 'pick.svg'}")


if __name__ == "__main__":
    main()
