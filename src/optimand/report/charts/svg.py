"""SVG elements as safe markup. Horizontal places are percentages, so that text never shrinks."""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup, escape

from optimand.report.text import visible

__all__ = ["chart", "circle", "curve", "element", "line", "text", "ticks"]


def element(tag: str, content: Markup | str = "", **attributes: object) -> Markup:
    """One element. Texts and values are made visible and escaped, markup is left as it is.

    A name like `text_anchor` becomes `text-anchor`.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_safe(str(value))}"'
        for name, value in attributes.items()
    )
    return Markup(f"<{tag}{written}>{_safe(content)}</{tag}>")


def _safe(value: Markup | str) -> Markup:
    return value if isinstance(value, Markup) else escape(visible(value))


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A line; x in percent, y in pixels."""
    return element("line", x1=f"{x1:.2f}%", y1=y1, x2=f"{x2:.2f}%", y2=y2, class_=kind)


def curve(points: Iterable[tuple[float, float]], kind: str, height: float) -> Markup:
    """A curve through points; x in percent, y in pixels of `height`."""
    drawn = " ".join(f"{x:.2f},{100 * y / height:.2f}" for x, y in points)
    return element(
        "svg",
        element("polyline", points=drawn, class_=kind, vector_effect="non-scaling-stroke"),
        x=0,
        y=0,
        width="100%",
        height=height,
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
    )


def circle(x: float, y: float, r: float, kind: str) -> Markup:
    """A circle; x in percent, y and r in pixels."""
    return element("circle", cx=f"{x:.2f}%", cy=y, r=r, class_=kind)


def text(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> Markup:
    """A text; x in percent, y in pixels."""
    return element("text", content, x=f"{x:.2f}%", y=y, class_=kind, text_anchor=anchor)


def chart(name: str, title: str, description: str, height: float, content: Markup) -> Markup:
    """A whole chart that says to those who cannot see it what it shows."""
    head = element("title", title, id=f"{name}-t") + element("desc", description, id=f"{name}-d")
    return element(
        "svg",
        head + content,
        class_=f"chart {name.partition('-')[0]}",
        role="img",
        aria_labelledby=f"{name}-t {name}-d",
        width="100%",
        height=round(height),
    )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between `low` and `high`, at most `most`; at least one where there is room."""
    span = high - low
    if span < 1e-6 or not math.isfinite(span):
        return [low]
    raw = span / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= raw - 1e-12)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [round((first + i) * step, 10) for i in range(max(count, 0))]
