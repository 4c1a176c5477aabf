"""The bars the default is held to, each with the figures measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.pick.report import best_peer, by_pool, default_of
from benchmarks.pick.strategies import DEFAULT
from benchmarks.pick.summary import Line, paired_ratio

__all__ = ["Bar", "measure", "table"]

STRICT = ("Bradley-Terry", "hard gap", "near tie", "rivals tied")


@dataclass(frozen=True)
class Bar:
    """What was asked for, whether it is met, and the figure."""

    asked: str
    met: bool
    found: str


def measure(lines: list[Line]) -> list[Bar]:
    """All bars that the lines allow to judge."""
    out: list[Bar] = []
    for name, found in by_pool(lines).items():
        ours, family = default_of(found), found[0].cell.pool.family
        if ours is None:
            continue
        for kind, label in (("peer", "published"), ("helped", "helped")):
            out += _against(f"{name}: at most the best {label} valid peer", ours, found, kind)
        uniform = next((x for x in found if x.cell.strategy.name == "round robin"), None)
        if uniform and ours.cell.pool.size >= 8 and family != "linear":
            out.append(_factor(f"{name}: 2x below round robin", ours, uniform, 2.0))
        if family in STRICT and 5 <= ours.cell.pool.size <= 50:
            out.append(_limit(name, ours, 1.6))
        if family == "cyclic":
            out.append(_limit(name, ours, 3.0))
        if family == "linear":
            out += _linear(name, found, ours)
    return [*out, *_errors(lines), *_slopes(lines), *_speed(lines)]


def table(bars: list[Bar]) -> str:
    """The bars in Markdown, those missed first."""
    rows = [f"| {b.asked} | {'yes' if b.met else '**no**'} | {b.found} |" for b in bars]
    rows.sort(key=lambda row: "**no**" not in row)
    return "\n".join(["| asked | met | found |", "|---|---|---|", *rows])


def _against(asked: str, ours: Line, found: list[Line], kind: str) -> list[Bar]:
    peer = best_peer(found, kind)
    if peer is None:
        return []
    ratio, low, high = paired_ratio(ours.tau, peer.tau)
    name = peer.cell.strategy.name
    return [Bar(asked, low <= 1.0, f"{ratio:.2f} ({low:.2f}-{high:.2f}) against {name}")]


def _factor(asked: str, ours: Line, peer: Line, factor: float) -> Bar:
    ratio, low, high = paired_ratio(ours.tau, peer.tau)
    sign = "at least " if peer.cut else ""
    return Bar(asked, 1 / ratio >= factor, f"{sign}{1 / ratio:.1f}x ({1 / high:.1f}-{1 / low:.1f})")


def _limit(name: str, ours: Line, limit: float) -> Bar:
    spread = 1.96 * ours.error / ours.mean * ours.of_least
    found = f"{ours.of_least:.2f} ± {spread:.2f}"
    return Bar(f"{name}: at most {limit} T* ln(1/δ)", ours.of_least - spread <= limit, found)


def _linear(name: str, found: list[Line], plain: Line) -> list[Bar]:
    ours = default_of(found, linear=True)
    if ours is None:
        return []
    out = [_factor(f"{name}: 1.5x below ignoring the features", ours, plain, 1.5)]
    uniform = [line for line in found if line.cell.strategy.name.startswith("round robin")]
    return out + [
        _factor(f"{name}: 3x below {x.cell.strategy.name}", ours, x, 3.0) for x in uniform
    ]


def _errors(lines: list[Line]) -> list[Bar]:
    out = []
    for name, found in by_pool(lines, "errors").items():
        cell = found[0].cell
        if cell.pool.best < 0:
            continue  # nothing is promised there
        low, high = found[0].interval
        text = f"{found[0].wrong} of {len(found[0].tau)} ({100 * low:.1f}-{100 * high:.1f} %)"
        out.append(Bar(f"{name}: wrong at most δ = {cell.delta}", low <= cell.delta, text))
    return out


def _slopes(lines: list[Line]) -> list[Bar]:
    """The excess over T* ln(1/delta) has to shrink from delta = .05 to the smallest delta."""
    out, start = [], by_pool(lines)
    for name, found in by_pool(lines, "slope").items():
        first = next((x for x in start.get(name, []) if x.cell.strategy.name == DEFAULT), None)
        last = min(found, key=lambda line: line.cell.delta)
        if first is None or math.isnan(last.of_least):
            continue
        text = f"{first.of_least:.2f} at δ = {first.cell.delta:g}, {last.of_least:.2f} at "
        text += f"δ = {last.cell.delta:g}"
        out.append(Bar(f"{name}: falls toward 1", last.of_least < first.of_least, text))
    return out


def _speed(lines: list[Line]) -> list[Bar]:
    """Processor time of 1,000 runs of ten candidates, of which at least 100 have to be measured."""
    out = []
    for line in by_pool(lines, "errors").get("K10 BT .3", []):
        runs = len(line.tau)
        seconds = 1e-6 * line.microseconds * line.tau.sum() * 1_000 / runs
        if runs >= 100:
            text = f"{seconds:.0f} s (from {runs} runs)"
            out.append(Bar("1,000 runs of K10 BT .3 in a minute", seconds < 60, text))
    return out
