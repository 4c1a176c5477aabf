"""The sections of a report as plain data for the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from optimand.core.amounts import price
from optimand.core.verdict import Standing, Verdict
from optimand.core.wording import under_way
from optimand.report import cells
from optimand.report.calls import Calls
from optimand.report.charts.evidence import evidence_chart, frame_of
from optimand.report.charts.ranking import Row, axis, scale_of, strip
from optimand.report.charts.spend import spend_chart
from optimand.report.policies import parts_of
from optimand.report.sentences import amount, beside_least, percent
from optimand.report.study import StudyView

__all__ = [
    "candidates",
    "doors",
    "duration",
    "evidence",
    "facts",
    "ranking",
    "spending",
    "unpriced",
]

CHARTED, LISTED, POLICIES = 24, 200, 50
"""How many candidates, best first, are drawn, are in tables, and are shown with all their parts."""

_DOORS = {
    "rollout": "Running the candidates",
    "score": "Judging: scores",
    "comparison": "Judging: comparisons",
    "ask": "Proposing",
}


def facts(view: StudyView, calls: Calls) -> list[tuple[str, str, str]]:
    """Label, value and note of the few numbers that matter."""
    v = view.verdict
    if v is None:
        return []
    total = calls.total
    notes = (under_way(v, calls.spent(view.seconds)), _saving(v))
    found = [(v.unit.capitalize(), amount(v.used), "; ".join(note for note in notes if note))]
    if v.reason not in ("cycle", "tied"):
        found.insert(
            0, ("Confidence", percent(v.confidence), f"asked for {percent(view.confidence)}")
        )
    if total.steps:
        found.append(("Environment steps", amount(total.steps), ""))
    if total.calls:
        judges = f", {amount(calls.judged)} of them the judge's" if calls.judged else ""
        found.append(("Model calls", amount(total.calls), f"{amount(total.tokens)} tokens{judges}"))
    if total.usd or total.unpriced:
        found.append(("Cost", price(total.usd, total.unpriced), unpriced(calls)))
    found.append(("Active time", duration(view.seconds), ""))
    return found


def unpriced(calls: Calls) -> str:
    """What a cost leaves out."""
    total = calls.total
    if not total.unpriced:
        return ""
    if total.unpriced == total.calls:
        return "no model call has a known price"
    return f"{amount(total.unpriced)} of {amount(total.calls)} model calls have no known price"


def _saving(v: Verdict) -> str:
    if not v.decided or not v.equal or v.equal <= v.used:
        return ""
    return f"{100 * (1 - v.used / v.equal):.0f} % fewer than testing all equally"


def duration(seconds: float) -> str:
    """Seconds as people say it."""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def ranking(view: StudyView, calls: Calls) -> dict[str, Any]:
    """The chart and the table of the ranking."""
    v = view.verdict
    assert v is not None
    rows = [
        Row(view.name_of(s.candidate), s.estimate, s.low, s.high, _kind(v, s), cells.estimate(v, s))
        for s in v.standings[:CHARTED]
    ]
    scale = scale_of(rows, None if v.measure == "score" else 0.5)
    table = [
        {
            "standing": s,
            "estimate": cells.estimate(v, s),
            "interval": cells.interval(v, s),
            "evidence": cells.evidence(s).replace("-", "−"),
            "name": view.name_of(s.candidate),
            "kind": _kind(v, s),
            "state": _state(view, v, s),
            "failed": ", ".join(
                f"{n} {status}" for status, n in sorted(calls.failures.get(s.candidate, {}).items())
            ),
        }
        for s in v.standings[:LISTED]
    ]
    return {
        "strips": [(row, strip(i, row, scale)) for i, row in enumerate(rows, 1)],
        "axis": axis(scale),
        "table": table,
        "measure": v.measure,
        "unit": v.unit,
        "title": cells.evidence_title(view.line),
        "failures": any(row["failed"] for row in table),
        "undrawn": max(0, len(v.standings) - CHARTED),
        "unlisted": max(0, len(v.standings) - LISTED),
    }


def _kind(v: Verdict, s: Standing) -> str:
    if s.candidate == v.best and v.decided:
        return "best"
    return "in" if s.alive else "out"


def _state(view: StudyView, v: Verdict, s: Standing) -> str:
    if s.candidate == v.best:
        return "best" if v.decided else "leads"
    if s.alive:
        return "within the margin" if v.reason == "indifferent" else "not ruled out"
    return f"ruled out by {view.name_of(s.beaten_by)}" if s.beaten_by else "ruled out"


def evidence(view: StudyView) -> dict[str, Any] | None:
    """A small chart for each rival; None where the log holds no evidence over time."""
    v, at = view.verdict, view.path.get("at", [])
    if v is None or not at:
        return None
    drawn = [s for s in v.standings if s.candidate in view.path and _kind(v, s) != "best"]
    series = {s.candidate: view.path[s.candidate] for s in drawn[:CHARTED]}
    frame = frame_of(at, list(series.values()), view.line)
    found = []
    for number, s in enumerate(drawn[:CHARTED], 1):
        name, values = view.name_of(s.candidate), series[s.candidate]
        svg = evidence_chart(number, name, at, values, frame)
        found.append(
            {"name": name, "kind": _kind(v, s), "note": _crossing(view, s, at), "svg": svg}
        )
    undrawn = max(0, len(drawn) - CHARTED)
    return {
        "cells": found,
        "line": view.line,
        "lowest": frame.low if frame.cut else None,
        "end": at[-1],
        "unit": v.unit,
        "undrawn": undrawn,
    }


def _crossing(view: StudyView, s: Standing, at: Sequence[float]) -> str:
    """When the candidate was ruled out, or how far the evidence is."""
    if view.line is None:
        return "certain" if s.certain else f"{s.evidence:.1f} nats"
    if s.alive:
        return f"not ruled out: {s.evidence:.1f} of {view.line:.1f}".replace("-", "−")
    values = view.path[s.candidate]
    crossed = next((t for t, e in zip(at, values, strict=False) if e >= view.line - 5e-4), at[-1])
    return f"ruled out after {amount(crossed)}"


def doors(calls: Calls) -> list[dict[str, Any]]:
    """What was spent by what it was spent on."""
    return [
        {"what": label, "count": calls.counts[door], "usage": calls.usage[door]}
        for door, label in _DOORS.items()
        if calls.counts[door]
    ]


def spending(view: StudyView, calls: Calls) -> dict[str, Any]:
    """What was spent and on what, beside the least and the most simple way."""
    v = view.verdict
    assert v is not None
    bars = [("used", float(v.used), "used")]
    if v.least:
        bars.insert(0, ("the least any method needs on average (estimate)", v.least, "least"))
    if v.remaining and not v.decided:
        bars.append(("expected still to go", v.remaining, "rest"))
    if v.equal and v.equal > v.used:
        bars.append(("testing all equally (estimate)", v.equal, "equal"))
    chart: Markup | None = spend_chart(bars, v.unit) if v.used and len(bars) > 1 else None
    return {
        "chart": chart,
        "doors": doors(calls),
        "total": calls.total,
        "unpriced": unpriced(calls),
        "judged": calls.judged,
        "beside_least": beside_least(v),
        "unit": v.unit,
    }


def candidates(view: StudyView) -> dict[str, Any]:
    """All parts of the candidates, best first, with what differs from the leader marked."""
    v = view.verdict
    ranked = [s.candidate for s in v.standings] if v and v.standings else list(view.order)
    leader: Mapping[str, Any] = view.parts.get(ranked[0], {}) if ranked else {}
    entries = [
        {
            "name": view.name_of(candidate),
            "id": candidate,
            "rank": rank,
            "parts": parts_of(view.parts.get(candidate, {}), leader if rank > 1 else None),
        }
        for rank, candidate in enumerate(ranked[:POLICIES], 1)
    ]
    return {
        "entries": entries,
        "leader": entries[0]["name"] if entries else "",
        "left_out": max(0, len(ranked) - POLICIES),
    }
