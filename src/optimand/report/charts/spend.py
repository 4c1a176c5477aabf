"""Bars that set what was used beside the least possible and beside testing all equally."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from optimand.report.charts.svg import chart, element, text

__all__ = ["spend_chart"]

ROW = 44


def spend_chart(bars: Sequence[tuple[str, float, str]], unit: str) -> Markup:
    """Bars of (label, amount, kind); kind "used" stands out."""
    most = max(value for _, value, _ in bars) or 1.0
    parts = []
    for i, (label, value, kind) in enumerate(bars):
        top = ROW * i
        bar = element("rect", x=0, y=top + 23, width=f"{100 * value / most:.2f}%", height=8, rx=1)
        words = text(0, top + 16, label, "name") + text(
            100, top + 16, f"{value:,.0f}", "number", "end"
        )
        parts.append(element("g", words + bar, class_=kind))
    said = "; ".join(f"{label}: {value:,.0f}" for label, value, _ in bars)
    title = f"{unit[:1].upper()}{unit[1:]} used, and for comparison"
    return chart("spend-chart", title, said + ".", ROW * len(bars), Markup("").join(parts))
