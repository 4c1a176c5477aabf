"""Dots with whiskers: each candidate's estimate and its interval, one strip per candidate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from optimand.report.charts.svg import chart, circle, line, text, ticks

__all__ = ["Row", "axis", "scale_of", "strip"]

HEIGHT, AXIS = 30, 20


@dataclass(frozen=True)
class Row:
    """One candidate; `kind` is "best", "in" (not ruled out) or "out", `value` the number in words.

    One whose `low` is its `high` is what the others are compared with.
    """

    name: str
    estimate: float
    low: float
    high: float
    kind: str
    value: str


@dataclass(frozen=True)
class Scale:
    """The values from `low` to `high` that all strips show; `reference` is marked in each."""

    low: float
    high: float
    reference: float | None

    def place(self, value: float) -> float:
        """Where a value is, in percent of the width."""
        return 100.0 * (value - self.low) / max(self.high - self.low, 1e-9)

    def ticks(self) -> list[float]:
        """Round values to mark."""
        return ticks(self.low, self.high)


def scale_of(rows: Sequence[Row], reference: float | None = None) -> Scale:
    """A scale on which every interval has room; `reference` is 0.5 for win rates."""
    known = [r.low for r in rows] + [r.high for r in rows]
    known += [] if reference is None else [reference]
    low, high = min(known), max(known)
    room = 0.03 * max(high - low, 0.02)
    return Scale(*_to_ticks(max(0.0, low - room), min(1.0, high + room)), reference)


def _to_ticks(low: float, high: float) -> tuple[float, float]:
    """The range, widened until both its ends are marked; 0 and 1 always can be."""
    for _ in range(4):
        marks = ticks(low, high)
        if len(marks) < 2:
            return low, high
        step = marks[1] - marks[0]
        down, up = max(0.0, math.floor(low / step + 1e-9)), math.ceil(high / step - 1e-9)
        wide = round(down * step, 10), min(1.0, round(up * step, 10))
        if wide == (low, high):
            break
        low, high = wide
    return low, high


def strip(number: int, row: Row, scale: Scale) -> Markup:
    """The strip of one candidate; `number` tells it from the others on the page."""
    parts = [line(scale.place(t), 0, scale.place(t), HEIGHT, "grid") for t in scale.ticks()]
    if scale.reference is not None:
        at = scale.place(scale.reference)
        parts.append(line(at, 0, at, HEIGHT, "reference"))
    middle = HEIGHT / 2
    parts.append(line(scale.place(row.low), middle, scale.place(row.high), middle, "whisker"))
    parts.append(circle(scale.place(row.estimate), middle, 5, "dot"))
    said = f"{row.value}, interval {row.low:.3f} to {row.high:.3f}."
    if row.low == row.high:
        said = f"{row.value}."
    return chart(f"ranking-{number}", row.name, said, HEIGHT, Markup("").join(parts))


def axis(scale: Scale) -> Markup:
    """The values under the strips."""
    parts = [
        text(scale.place(t), 14, f"{t:g}", "tick", _anchor(scale.place(t))) for t in scale.ticks()
    ]
    said = f"From {scale.low:.3f} to {scale.high:.3f}."
    return chart("ranking-axis", "Scale", said, AXIS, Markup("").join(parts))


def _anchor(place: float) -> str:
    return "start" if place < 1 else "end" if place > 99 else "middle"
