"""Raw results: one row for each run, as Parquet, or CSV where pyarrow is not installed."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

from benchmarks.pick.plan import Cell
from benchmarks.pick.play import Runs

__all__ = ["Row", "rows", "write"]

Row = dict[str, str | int | float | bool]


def rows(cell: Cell, runs: Runs) -> list[Row]:
    """One row per replication, with everything needed to judge it."""
    pool, strategy = cell.pool, cell.strategy
    shared: Row = {
        "purpose": cell.purpose,
        "pool": pool.name,
        "family": pool.family,
        "fresh": pool.fresh,
        "candidates": pool.size,
        "strategy": strategy.name,
        "kind": strategy.kind,
        "valid": strategy.valid(pool),
        "delta": cell.delta,
        "time": pool.time,
        "structured_time": pool.structured_time,
        "microseconds": runs.microseconds,
    }
    return [
        {
            **shared,
            "run": r,
            "tau": int(runs.tau[r]),
            "cut": bool(runs.cut[r]),
            "wrong": bool(not runs.cut[r] and runs.answer[r] != pool.best),
            "answer": int(runs.answer[r]),
        }
        for r in range(len(runs.tau))
    ]


def write(table: list[Row], path: Path) -> Path:
    """Write the rows; the name actually written is returned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if find_spec("pyarrow"):
        import pyarrow as pa
        from pyarrow import parquet

        path = path.with_suffix(".parquet")
        parquet.write_table(pa.Table.from_pylist(table), path)
        return path
    print("pyarrow is not installed (group `bench` in pyproject.toml): writing CSV instead.")
    path = path.with_suffix(".csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path
