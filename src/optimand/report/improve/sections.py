"""The sections of an improvement's page as plain data for the template."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from markupsafe import Markup

from optimand.core.amounts import price
from optimand.memory.pareto import weakly_dominates
from optimand.report.calls import Calls
from optimand.report.charts.plot import Curve, Dot, plot
from optimand.report.improve.diff import diff_parts
from optimand.report.improve.view import Proposed, SearchView
from optimand.report.improve.words import reasons
from optimand.report.policies import parts_of
from optimand.report.sections import duration
from optimand.report.sentences import amount, percent
from optimand.report.text import one_line

__all__ = ["artifact", "facts", "failures", "fronts", "lineage", "overfit", "progress"]

LISTED, CHARTS, OBJECTIVES = 20, 3, 3
REASON = 300


def facts(view: SearchView, calls: Calls) -> list[tuple[str, str, str]]:
    """Label, value and note of the few numbers that matter."""
    found = []
    v, total = view.certificate, calls.total
    if v is not None and v.gain and view.best != view.start:
        g = v.gain
        note = f"{g['low']:+.3f} to {g['high']:+.3f}, on unseen examples"
        found.append(("Gain", f"{g['estimate']:+.3f}", note))
    asked = percent(view.study.confidence)
    found.append(("Confidence", asked if view.proven else "not reached", f"asked for {asked}"))
    used = f"{amount(v.used)} of them the certificate's" if v is not None else ""
    found.append(("Rollouts", amount(calls.counts["rollout"]), used))
    if total.steps:
        found.append(("Environment steps", amount(total.steps), ""))
    if total.calls:
        asks = calls.usage["ask"].calls if "ask" in calls.usage else 0
        note = f"{amount(total.tokens)} tokens; {amount(asks)} calls to propose"
        found.append(("Model calls", amount(total.calls), note))
    if total.usd or total.unpriced:
        found.append(("Cost", price(total.usd, total.unpriced), ""))
    found.append(("Active time", duration(view.study.seconds), ""))
    return found


_WORDS = {
    "steps": "environment steps",
    "usd": "dollars",
    "calls": "model calls",
    "rollouts": "rollouts",
}


def _unit(view: SearchView) -> tuple[str, str]:
    """What to measure spending by: steps where there are any, else dollars, calls or rollouts."""
    last: Mapping[str, Any] = view.steps[-1].get("spent", {}) if view.steps else {}
    if last.get("steps"):
        return "steps", "{:,.0f}"
    if last.get("usd") and not last.get("unpriced"):
        return "usd", "${:g}"
    return ("calls" if last.get("calls") else "rollouts"), "{:,.0f}"


def progress(view: SearchView) -> dict[str, Any] | None:
    """Score where the search ranks against what was spent; None before anything was kept."""
    split = view.split
    kept, begun = view.kept, view.value(view.start, split)
    if not kept or not view.steps:
        return None
    unit, number = _unit(view)
    dots = [Dot(float(k.spent.get(unit, 0)), k.score, _said(view, k.id, k.score)) for k in kept]
    best, line = begun if begun is not None else min(k.score for k in kept), []
    line.append((0.0, best))
    for dot in dots:
        best = max(best, dot.y)
        line.append((dot.x, best))
    line.append((max(line[-1][0], float(view.steps[-1].get("spent", {}).get(unit, 0))), best))
    if begun is not None:
        dots.append(Dot(0.0, begun, _said(view, view.start, begun), "dot start"))
    chart = plot(
        "progress-chart",
        f"Best score on {split} so far",
        f"From {line[0][1]:.3f} to {best:.3f} in {amount(len(kept))} accepted proposals.",
        dots,
        [Curve(line, "curve", steps=True)],
        number,
        whole=unit != "usd",
    )
    return {
        "chart": chart,
        "split": split,
        "unit": _WORDS[unit],
        "first": f"{line[0][1]:.3f}",
        "last": f"{best:.3f}",
    }


def _said(view: SearchView, candidate: str, value: float) -> str:
    return f"{one_line(view.name_of(candidate))}: {value:.3f}"


def film(view: SearchView) -> dict[str, str] | None:
    """Pictures of an episode of what was found; None where the task takes none."""
    if not view.film:
        return None
    name = view.name_of(view.film.get("candidate", ""))
    return {"name": name, "png": view.film.get("png", ""), "why": view.film.get("why", "")}


def lineage(view: SearchView) -> list[dict[str, Any]]:
    """From the start to what was found: operator, score where the search ranks, other parents."""
    return [_born(view, one, view.split) for one in view.lineage]


def _born(view: SearchView, one: Proposed, split: str) -> dict[str, Any]:
    value = view.value(one.id, split)
    return {
        "name": one.name,
        "operator": one.operator,
        "step": one.step,
        "value": None if value is None else f"{value:.3f}",
        "split": split,
        "runs": len(view.scores.get((one.id, split), ())),
        "others": [view.name_of(parent) for parent in one.parents[1:]],
    }


def artifact(view: SearchView) -> dict[str, Any] | None:
    """Start and what was found: in what they differ, and all parts of both."""
    start, found = (view.candidates.get(i) for i in (view.start, view.found))
    if start is None or found is None:
        return None
    entries = [found] if start.id == found.id else [found, start]
    return {
        "name": found.name,
        "same": start.id == found.id,
        "certified": found.id == view.best and view.proven,
        "diffs": diff_parts(start.parts, found.parts),
        "entries": [
            {"name": e.name, "id": e.id, "parts": parts_of(e.parts, None)} for e in entries
        ],
    }


def failures(view: SearchView) -> dict[str, Any] | None:
    """Why proposals were not kept, with counts; None where all were."""
    found = reasons(view)
    if not found:
        return None
    return {
        "rows": [(one_line(why, REASON), count) for why, count in found[:LISTED]],
        "total": sum(count for _, count in found),
        "made": sum(1 for _ in view.trials),
        "unlisted": max(0, len(found) - LISTED),
    }


def overfit(view: SearchView) -> dict[str, Any] | None:
    """Scores on train and val of the accepted; None where nothing ran on train."""
    line = [view.start, *(k.id for k in view.kept)]
    rows = [(c, view.value(c, "train"), view.value(c)) for c in line]
    both = [(c, t, v) for c, t, v in rows if t is not None and v is not None]
    if len(both) < 2:
        return None
    curves = [
        Curve([(float(i), t) for i, (_, t, _) in enumerate(both)], "curve train"),
        Curve([(float(i), v) for i, (_, _, v) in enumerate(both)], "curve"),
    ]
    dots = [Dot(float(i), v, _said(view, c, v)) for i, (c, _, v) in enumerate(both)]
    known = {c: (t, v) for c, t, v in both}
    sentences = [
        f"{view.name_of(c)}: {known[c][0]:.3f} on the training examples it ran on, "
        f"{known[c][1]:.3f} on val, a gap of {known[c][0] - known[c][1]:+.3f}."
        for c in dict.fromkeys((view.start, view.found))
        if c in known
    ]
    said = "; ".join(f"train {t:.3f}, val {v:.3f}" for _, t, v in both[:LISTED])
    chart = plot("overfit-chart", "Scores on train and val", f"{said}.", dots, curves, "{:.0f}")
    return {"chart": chart, "sentences": sentences}


def fronts(view: SearchView) -> list[Markup]:
    """Candidates by two objectives at a time; none where there is only the score."""
    points = {
        c: {"score": value, **dict(list(view.objectives[c].items())[:OBJECTIVES])}
        for c in (view.start, *(k.id for k in view.kept))
        if view.objectives.get(c) and (value := view.value(c)) is not None
    }
    names = list(next(iter(points.values()), {}))
    full = {c: p for c, p in points.items() if list(p) == names}
    if len(names) < 2 or len(full) < 2:
        return []
    places = {c: tuple(p.values()) for c, p in full.items()}
    best = {
        c
        for c, mine in places.items()
        if not any(weakly_dominates(p, mine) and p != mine for p in places.values())
    }
    pairs = list(combinations(names, 2))[:CHARTS]
    return [_front(view, i, pair, full, best) for i, pair in enumerate(pairs, 1)]


def _front(
    view: SearchView,
    number: int,
    pair: tuple[str, str],
    points: Mapping[str, Mapping[str, float]],
    best: set[str],
) -> Markup:
    up, across = pair
    dots = [
        Dot(
            point[across],
            point[up],
            f"{one_line(view.name_of(c))}: {one_line(up)} {point[up]:.3f}, "
            f"{one_line(across)} {point[across]:.3f}",
            "dot front" if c in best else "dot",
        )
        for c, point in points.items()
    ]
    title = f"{one_line(up)} (up) against {one_line(across)} (right)"
    said = f"{amount(len(best))} of {amount(len(points))} candidates are not dominated."
    return plot(f"front-{number}", title, said, dots)
