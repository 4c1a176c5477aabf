"""Evidence against one candidate over time, with the line at which it is given up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from optimand.report.charts.svg import chart, curve, line

__all__ = ["Frame", "evidence_chart", "frame_of"]

HEIGHT = 90
ROOM = 2
"""Pixels above and below the scale, so that no line is cut at the edge."""
POINTS = 160
LOWEST = -1.5
"""Evidence, in multiples of the stopping line, below which a curve runs along the bottom."""


@dataclass(frozen=True)
class Frame:
    """The scales that all charts of a study share: time from 0 to `end`, nats `low` to `high`.

    `cut`: some evidence is below `low`, and is drawn there.
    """

    end: float
    low: float
    high: float
    stop: float | None
    cut: bool = False


def frame_of(at: Sequence[float], series: Sequence[Sequence[float]], stop: float | None) -> Frame:
    """A frame for every series; evidence far from zero and the stopping line is cut off."""
    finite = [v for values in series for v in values if math.isfinite(v)]
    top, bottom = max(finite, default=0.0), min(0.0, min(finite, default=0.0))
    low = bottom
    if stop is not None:
        top, low = 1.3 * stop, max(bottom, LOWEST * stop)
    return Frame(max(at, default=1.0) or 1.0, low, max(top, 1e-6), stop, bottom < low)


def evidence_chart(
    number: int, name: str, at: Sequence[float], values: Sequence[float], frame: Frame
) -> Markup:
    """One small chart; `number` tells it from the others on the page."""

    def level(value: float) -> float:
        kept = min(max(value, frame.low), frame.high)
        share = 1.0 - (kept - frame.low) / (frame.high - frame.low)
        return ROOM + (HEIGHT - 2 * ROOM) * share

    points = list(zip(at, values, strict=False))
    step = -(-len(points) // POINTS) or 1
    chosen = [(0.0, 0.0), *points[::step], *points[-1:]]
    points = [(100.0 * t / frame.end, level(value)) for t, value in chosen]
    parts = line(0, level(0.0), 100, level(0.0), "grid")
    if frame.stop is not None:
        parts += line(0, level(frame.stop), 100, level(frame.stop), "stop")
    last = values[-1] if values else 0.0
    goal = "" if frame.stop is None else f"; the line is at {frame.stop:.2f}"
    said = f"It ends at {last:.2f} nats{goal}." if math.isfinite(last) else "It ends in certainty."
    return chart(
        f"evidence-{number}",
        f"Evidence against {name}",
        said,
        HEIGHT,
        parts + curve(points, "curve", HEIGHT),
    )
