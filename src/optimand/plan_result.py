"""The answer of `plan`: a small table, with the ranges drawn beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from optimand.core.amounts import clock, money

__all__ = ["Plan", "PlanRow"]

WIDTH = 30
"""Columns of the drawing."""


@dataclass(frozen=True)
class PlanRow:
    """One assumption and what it takes: mean, median, and low to high, which holds 90 % of runs.

    gap: by how much the best beats the next one, in score, or in win rate above one half; None in
    a plan made from a pilot. decided: share of the runs that end within the examples there are;
    ended: that end at all within the simulation's limit. The others count with that limit in the
    mean, as inf in the range. usd, seconds: at the mean; None if unknown.
    """

    rivals: str
    gap: float | None
    confidence: float
    mean: float
    median: float
    low: float
    high: float
    decided: float
    ended: float
    usd: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Plan:
    """Expected sizes of a run. `unit`: rollouts or comparisons; `paid`: units that a pilot used."""

    rows: tuple[PlanRow, ...]
    unit: str
    candidates: int
    runs: int
    paid: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; inf becomes None."""
        found = asdict(self)
        for row in found["rows"]:
            row.update({k: None for k in ("mean", "low", "high") if not math.isfinite(row[k])})
            row.update(
                {k: None for k in ("usd", "seconds") if row[k] and not math.isfinite(row[k])}
            )
        return found

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(plan: Plan) -> list[str]:
    """Title, table and legend; a range reaches over the runs between the 5 % and the 95 % quantile,
    on a logarithmic scale."""
    ends = [v for row in plan.rows for v in (row.low, row.mean, row.high) if math.isfinite(v)]
    scale = (min(ends, default=1.0), max(ends, default=1.0))
    priced = any(row.usd is not None for row in plan.rows)
    timed = any(row.seconds is not None for row in plan.rows)
    head = ["gap", "confidence", plan.unit, "half within", "90 % of the runs", "decided"]
    head += ["cost"] * priced + ["time"] * timed + [_axis(scale)]
    table, rivals = [], ""
    for row in plan.rows:
        if row.rivals != rivals:
            rivals = row.rivals
            table.append([f"Rivals: {rivals}"])
        table.append(_cells(row, scale, priced, timed))
    paid = f" {plan.paid:,} {plan.unit} are made already." if plan.paid else ""
    return [
        f"{plan.candidates} candidates, {plan.runs} simulated runs a row.{paid}",
        *_aligned([head, *table]),
        "decided: share of the runs that end within the examples there are. The drawing is "
        "logarithmic, o the mean; ≥, more, >: runs that did not end in the simulation.",
    ]


def _cells(row: PlanRow, scale: tuple[float, float], priced: bool, timed: bool) -> list[str]:
    cells = [
        "" if row.gap is None else f"{row.gap:g}",
        f"{row.confidence:g}",
        _at_least(row) + _number(row.mean),
        _number(row.median),
        f"{_number(row.low)} to {_number(row.high)}",
        f"{row.decided:.0%}",
    ]
    if priced:
        cells.append("unknown" if row.usd is None else _at_least(row) + money(row.usd))
    if timed:
        cells.append("unknown" if row.seconds is None else _at_least(row) + clock(row.seconds))
    return [*cells, _range(row, scale)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "more"


def _at_least(row: PlanRow) -> str:
    return "≥ " if row.ended < 1.0 else ""


def _place(value: float, scale: tuple[float, float]) -> int:
    low, high = scale
    if not math.isfinite(value):
        return WIDTH - 1
    share = math.log(value / low) / max(math.log(high / low), 1e-9)
    return round(share * (WIDTH - 1))


def _range(row: PlanRow, scale: tuple[float, float]) -> str:
    if not math.isfinite(row.low):
        return " " * (WIDTH - 1) + ">"
    start, end = _place(row.low, scale), _place(row.high, scale)
    bar = list(" " * start + "-" * (end - start + 1))
    bar[min(max(_place(row.mean, scale), start), end)] = "o"
    if not math.isfinite(row.high):
        bar[-1] = ">"
    return "".join(bar)


def _axis(scale: tuple[float, float]) -> str:
    left, right = (_number(v) for v in scale)
    return left + right.rjust(WIDTH - len(left))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as they need; a row of one cell is a heading. The last is to the left."""
    full = [row for row in rows if len(row) > 1]
    wide = [max(len(row[i]) for row in full) for i in range(len(full[0]))]
    lines = []
    for row in rows:
        if len(row) == 1:
            lines.append(row[0])
            continue
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], wide, strict=False)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return lines
