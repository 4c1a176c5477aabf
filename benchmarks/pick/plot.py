"""A static SVG: for each pool, how many times the least possible each strategy takes."""

from __future__ import annotations

import math
from html import escape

from benchmarks.pick.report import by_pool
from benchmarks.pick.strategies import DEFAULT
from benchmarks.pick.summary import Line

__all__ = ["draw"]

COLOURS = {
    "ours": "#1b7f5c",
    "peer": "#3b6fb6",
    "helped": "#8fb3dd",
    "unproven": "#c2842b",
    "told the gap": "#999999",
}
LABELS = {
    "ours": "optimand",
    "peer": "published rule",
    "helped": "published rule, told whom our evidence disproved",
    "unproven": "stopping rule without proof",
    "told the gap": "told the true gap",
}
LEFT, RIGHT, ROW, TOP, WIDTH = 290, 30, 20, 64, 900
TICKS = (1, 1.5, 2, 3, 5, 10, 20)


def draw(lines: list[Line], title: str) -> str:
    """The picture as SVG text. Hover over a point to read its name."""
    pools = by_pool(lines)
    height = TOP + ROW * len(pools) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
        *_legend(),
        *_axis(height),
    ]
    for row, (name, found) in enumerate(pools.items()):
        y = TOP + ROW * row + 12
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        last = sorted(found, key=lambda line: line.cell.strategy.name == DEFAULT)
        parts += [_point(line, y) for line in last if math.isfinite(line.of_least)]
    return "\n".join([*parts, "</svg>\n"])


def _place(ratio: float) -> float:
    """Logarithmic from 0.9 to 20; what lies beyond is drawn at the edge."""
    share = math.log(min(max(ratio, 0.9), 20.0) / 0.9) / math.log(20.0 / 0.9)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _point(line: Line, y: float) -> str:
    kind = line.cell.strategy.kind
    size = 5.5 if line.cell.strategy.name == DEFAULT else 3.5
    edge = ' stroke="black"' if line.wrong > 0.1 * len(line.tau) else ""
    told = f"{line.cell.strategy.name}: {line.of_least:.2f}"
    if line.cut:
        told = f"{told} or more ({100 * line.cut:.0f} % cut off)"
    return (
        f'<circle cx="{_place(line.of_least):.1f}" cy="{y}" r="{size}" fill="{COLOURS[kind]}" '
        f'fill-opacity="0.8"{edge}>'
        f"<title>{escape(told)}</title></circle>"
    )


def _axis(height: int) -> list[str]:
    out = []
    for tick in TICKS:
        x = _place(tick)
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 4}" x2="{x:.1f}" y2="{height - 26}" ')
        out[-1] += 'stroke="#dddddd"/>'
        out.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle">{tick:g}</text>')
    return out


def _legend() -> list[str]:
    out, x = [], 14
    for kind, colour in COLOURS.items():
        out.append(f'<circle cx="{x}" cy="40" r="4" fill="{colour}"/>')
        out.append(f'<text x="{x + 8}" y="44" font-size="11">{LABELS[kind]}</text>')
        x += 28 + 6 * len(LABELS[kind])
    return out
