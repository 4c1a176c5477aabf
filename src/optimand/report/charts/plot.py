"""Dots and lines over two scales, with their values at the edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from optimand.report.charts import svg
from optimand.report.charts.svg import chart, element, line, text, ticks

__all__ = ["Curve", "Dot", "plot"]

HEIGHT, FOOT, ROOM = 220, 22, 8
POINTS = 400


@dataclass(frozen=True)
class Dot:
    """A point with a name that a pointer brings up; `kind` is its class."""

    x: float
    y: float
    name: str
    kind: str = "dot"


@dataclass(frozen=True)
class Curve:
    """A line through points; with `steps` it stays level until the next."""

    points: Sequence[tuple[float, float]]
    kind: str = "curve"
    steps: bool = False


@dataclass(frozen=True)
class _Frame:
    left: float
    right: float
    low: float
    high: float
    tall: float = field(default=float(HEIGHT - FOOT))

    def x(self, value: float) -> float:
        """Where a value is, in percent of the width."""
        return 1.0 + 98.0 * (value - self.left) / max(self.right - self.left, 1e-12)

    def y(self, value: float) -> float:
        """Where a value is, in pixels from the top."""
        share = (value - self.low) / max(self.high - self.low, 1e-12)
        return ROOM + (self.tall - 2 * ROOM) * (1.0 - share)


def plot(
    name: str,
    title: str,
    description: str,
    dots: Sequence[Dot],
    curves: Sequence[Curve] = (),
    number: str = "{:g}",
    *,
    whole: bool = False,
) -> Markup:
    """One chart of dots and curves; `number` writes a value of the horizontal scale.

    whole: that scale counts something, and has no marks between the whole numbers.
    """
    points = [(d.x, d.y) for d in dots] + [p for c in curves for p in c.points]
    frame = _frame(points)
    parts = [*_grid(frame, number, whole), *(_curve(c, frame) for c in curves)]
    parts += [_dot(dot, frame) for dot in dots[:POINTS]]
    return chart(name, title, description, HEIGHT, Markup("").join(parts))


def _frame(points: Sequence[tuple[float, float]]) -> _Frame:
    across, up = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
    left, right, low, high = min(across), max(across), min(up), max(up)
    room = 0.08 * max(high - low, 0.05)
    return _Frame(left, right if right > left else left + 1.0, low - room, high + room)


def _grid(frame: _Frame, number: str, whole: bool) -> list[Markup]:
    parts = []
    for value in ticks(frame.low, frame.high, 5):
        at = round(frame.y(value), 1)
        parts += [line(0, at, 100, at, "grid"), text(0, at - 3, f"{value:g}", "tick")]
    for value in ticks(frame.left, frame.right, 5):
        if whole and value != round(value):
            continue
        at = frame.x(value)
        anchor = "start" if at < 6 else "end" if at > 94 else "middle"
        parts.append(text(at, HEIGHT - 6, number.format(value), "tick", anchor))
    return parts


def _curve(curve: Curve, frame: _Frame) -> Markup:
    points = list(curve.points)
    if curve.steps:
        points = [p for a, b in zip(points, [*points[1:], points[-1]], strict=True)
                  for p in (a, (b[0], a[1]))]  # fmt: skip
    step = -(-len(points) // (2 * POINTS)) or 1
    chosen = [*points[::step], *points[-1:]]
    return svg.curve([(frame.x(x), frame.y(y)) for x, y in chosen], curve.kind, HEIGHT)


def _dot(dot: Dot, frame: _Frame) -> Markup:
    said = element("title", dot.name)
    at = {"cx": f"{frame.x(dot.x):.2f}%", "cy": f"{frame.y(dot.y):.1f}"}
    return element("circle", said, **at, r=5, class_=dot.kind)
