"""Tables in Markdown: every strategy on every pool, and ours against the best of the others."""

from __future__ import annotations

import math
from collections.abc import Iterable

from benchmarks.pick.pools import Pool
from benchmarks.pick.strategies import DEFAULT
from benchmarks.pick.summary import Line, paired_ratio

__all__ = [
    "best_peer",
    "by_pool",
    "default_of",
    "duel_table",
    "error_table",
    "overall_table",
    "slope_table",
    "versus_table",
]

KINDS = {
    "ours": "ours",
    "peer": "published",
    "helped": "helped",
    "unproven": "no proof",
    "told the gap": "told the gap",
}


def by_pool(lines: Iterable[Line], purpose: str = "compare") -> dict[str, list[Line]]:
    """Lines of one purpose by pool, shortest first; pools by family and size."""
    out: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: (line.cell.pool.family, line.cell.pool.size)):
        if line.cell.purpose == purpose:
            out.setdefault(line.cell.pool.name, []).append(line)
    return {name: sorted(found, key=lambda line: line.mean) for name, found in out.items()}


def default_of(lines: list[Line], linear: bool = False) -> Line | None:
    """Our line among those of one pool."""
    name = "optimand, linear" if linear else DEFAULT
    return next((line for line in lines if line.cell.strategy.name == name), None)


def best_peer(lines: list[Line], kind: str = "peer", linear: bool | None = False) -> Line | None:
    """The shortest valid line of that kind; linear None admits both spaces."""
    fits = [
        line
        for line in lines
        if line.cell.strategy.kind == kind
        and line.cell.strategy.valid(line.cell.pool)
        and linear in (None, line.cell.strategy.linear)
    ]
    return min(fits, key=lambda line: line.mean, default=None)


def duel_table(lines: Iterable[Line]) -> str:
    """All strategies on all pools."""
    out = []
    for name, found in by_pool(lines).items():
        pool = found[0].cell.pool
        out += ["", f"### {name}{_about(pool)}", ""]
        out += ["| strategy | kind | comparisons | of T* ln(1/δ) | of T* kl | ours / it | wrong |"]
        out[-1] += " cut off | µs |"
        out.append("|---|---|---|---|---|---|---|---|---|")
        ours = default_of(found)
        out += [_row(line, ours) for line in found]
    return "\n".join(out)


def _about(pool: Pool) -> str:
    about = f" ({pool.family}{', fresh' if pool.fresh else ''}; T* {pool.time:.1f}"
    if pool.features is not None:
        about += f", {pool.structured_time:.1f} with the features"
    return about + ")"


def _row(line: Line, ours: Line | None) -> str:
    strategy = line.cell.strategy
    kind = KINDS[strategy.kind]
    if strategy.kind in ("peer", "helped") and not strategy.valid(line.cell.pool):
        kind += ", not valid here"
    low, high = line.interval
    cells = [
        strategy.name,
        kind,
        f"{'≥ ' if line.cut else ''}{line.mean:.0f} ± {line.error:.0f}",
        f"{line.of_least:.2f}",
        f"{line.of_bound:.2f}",
        "" if ours is None or ours is line else _ratio(ours, line),
        f"{line.wrong} of {len(line.tau)} ({100 * low:.0f}-{100 * high:.0f} %)",
        f"{100 * line.cut:.0f} %",
        f"{line.microseconds:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _ratio(ours: Line, theirs: Line) -> str:
    ratio, low, high = paired_ratio(ours.tau, theirs.tau)
    return f"{ratio:.2f} ({low:.2f}-{high:.2f})"


def versus_table(lines: Iterable[Line]) -> str:
    """One row a pool: ours, the best published valid peer, the best helped one, round robin."""
    out = [
        "| pool | ours of T* ln(1/δ) | best published | ours / it | best helped | ours / it |"
        " ours / round robin |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in by_pool(lines).items():
        ours = default_of(found)
        if ours is None:
            continue
        cells = [name, f"{ours.of_least:.2f}"]
        for kind in ("peer", "helped"):
            peer = best_peer(found, kind)
            cells += ["", ""] if peer is None else [_named(peer), _ratio(ours, peer)]
        uniform = [line for line in found if line.cell.strategy.name == "round robin"]
        cells.append(_ratio(ours, uniform[0]) if uniform else "")
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def overall_table(lines: Iterable[Line]) -> str:
    """Each strategy over all pools: how many times the comparisons of ours it takes.

    Only pools with the strategy's promise; runs cut off make the figures too small.
    """
    ratios: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for name, found in by_pool(lines).items():
        ours = default_of(found)
        for line in found:
            strategy = line.cell.strategy
            if ours is not None and line is not ours and strategy.valid(line.cell.pool):
                ratio = 1.0 / paired_ratio(ours.tau, line.tau)[0]
                ratios.setdefault((strategy.name, strategy.kind), []).append((ratio, name))
    out = [
        "| strategy | kind | pools | geometric mean of it / ours | best for it | worst for it |",
        "|---|---|---|---|---|---|",
    ]
    rows = []
    for (name, kind), found_ratios in ratios.items():
        logs = [math.log(ratio) for ratio, _ in found_ratios]
        mean = math.exp(sum(logs) / len(logs))
        ends = [f"{ratio:.2f} ({pool})" for ratio, pool in (min(found_ratios), max(found_ratios))]
        cells = [name, KINDS[kind], str(len(logs)), f"{mean:.2f}", *ends]
        rows.append((mean, f"| {' | '.join(cells)} |"))
    return "\n".join([*out, *(row for _, row in sorted(rows))])


def _named(line: Line) -> str:
    return f"{line.cell.strategy.name} {line.of_least:.2f}"


def error_table(lines: Iterable[Line]) -> str:
    """Wrong answers of our default at delta = 0.1."""
    out = ["| pool | runs | wrong | 95 % interval | cut off |", "|---|---|---|---|---|"]
    for found in by_pool(lines, "errors").values():
        for line in found:
            low, high = line.interval
            cells = [line.cell.pool.name, str(len(line.tau)), str(line.wrong)]
            cells += [f"{100 * low:.1f}-{100 * high:.1f} %", f"{100 * line.cut:.0f} %"]
            out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def slope_table(lines: Iterable[Line]) -> str:
    """How the length of our default grows as delta falls."""
    found = by_pool(lines, "slope")
    out = ["| pool | δ | of T* ln(1/δ) | of T* kl | nats per nat |", "|---|---|---|---|---|"]
    for name, rows in found.items():
        rows = sorted(rows, key=lambda line: -line.cell.delta)
        before: Line | None = None
        for line in rows:
            step = "" if before is None else f"{_slope(before, line):.2f}"
            cells = [name, f"{line.cell.delta:g}", f"{line.of_least:.2f}", f"{line.of_bound:.2f}"]
            out.append(f"| {' | '.join([*cells, step])} |")
            before = line
    return "\n".join(out) if found else ""


def _slope(before: Line, after: Line) -> float:
    """Extra comparisons per extra nat asked for, in units of T*: 1 is the best possible."""
    nats = math.log(before.cell.delta / after.cell.delta)
    return (after.mean - before.mean) / (nats * after.cell.pool.time)
