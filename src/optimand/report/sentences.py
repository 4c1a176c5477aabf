"""A verdict in words: the headline, what it rests on, and what can be done next."""

from __future__ import annotations

from collections.abc import Sequence

from optimand.core.failed_runs import failed_runs
from optimand.core.verdict import FIXED, Verdict
from optimand.core.wording import joined
from optimand.report.study import StudyView
from optimand.result import closest, lead, origin

__all__ = [
    "amount",
    "beside_least",
    "headline",
    "next_step",
    "percent",
    "rests_on",
    "several",
]

MANY = 4


def amount(value: float) -> str:
    """A count for people: 1,234."""
    return f"{value:,.0f}"


def percent(share: float) -> str:
    """A share in [0, 1] as a percentage that never rounds up to certainty."""
    if share >= 1.0:
        return "100 %"
    shown = min(share, 0.9999)
    digits = 1 if shown < 0.999 else 2
    return f"{100 * shown:.{digits}f} %"


def several(names: Sequence[str]) -> str:
    """Names as a list in a sentence; after a few only their number."""
    if len(names) > MANY:
        return f"{joined(names[: MANY - 1])} and {len(names) - MANY + 1} more"
    if any("," in name for name in names):
        return joined(names)
    return " and ".join([joined(names[:-1]), names[-1]] if len(names) > 1 else names)


def headline(view: StudyView) -> str:
    """The verdict in one sentence."""
    v = view.verdict
    if v is None or not v.standings:
        return "There is no result yet."
    best = view.name_of(v.best)
    rest = [view.name_of(c) for c in v.unresolved]
    rivals = [name for name in rest if name != best]
    if v.reason == "cycle":
        return f"No candidate beats all others: {several(rest)} beat each other in a circle."
    if v.reason == "tied":
        return f"{several(rest)} are equal on these examples."
    if v.reason == "indifferent":
        return f"{best} is as good as any: no rival is better by a margin that matters."
    if v.decided:
        return f"{best} is best."
    if v.gain is not None:
        return _kept(best, view.name_of(v.baseline), v)
    if v.reason == FIXED:
        return f"{best} is the best guess."
    if v.reason == "running" and not rivals:
        return f"{best} leads."
    return f"Not decided: {best} leads, but {several(rivals)} cannot be ruled out yet."


def _kept(best: str, baseline: str, v: Verdict) -> str:
    """What an undecided run with a baseline comes to."""
    if not v.gain or not v.gain["proven"]:
        return f"{best} is kept: nothing is proven better."
    by = f"{best} is proven better than {baseline} by {lead(v.gain, v)}"
    return f"{by}; which is best is not decided."


def rests_on(view: StudyView) -> str:
    """What the headline rests on, in one or two sentences, and what runs failed."""
    v = view.verdict
    if v is None or not v.standings:
        return "The run has not yet logged a state."
    failed = failed_runs(v.failures)
    return _grounds(v, view.line) + (f" {failed}." if failed else "")


def _grounds(v: Verdict, line: float | None) -> str:
    top = v.standings[0]
    used = ", ".join(part for part in (f"{amount(v.used)} {v.unit}", origin(v)) if part)
    if v.decided:
        rivals = len(v.standings) - 1
        over = "its one rival" if rivals == 1 else f"its {rivals} rivals"
        level = f"With {percent(v.confidence)} confidence over {over}, after {used}."
        if v.measure != "score":
            return level
        return f"{level} Its mean score is {top.estimate:.3f} ({top.low:.3f} to {top.high:.3f})."
    detail = f" ({v.detail})" if v.detail else ""
    return f"{_ending(v)}{detail}, after {used}.{_so_far(v, line)}"


def _so_far(v: Verdict, line: float | None) -> str:
    """How far an undecided run has come; in a circle and among equals nobody is likely the best."""
    if v.reason in ("cycle", "tied"):
        return ""
    share = closest(v, line)
    said = f" Confidence so far: {percent(v.confidence)}"
    if share is None:
        return f"{said}."
    return f"{said}; evidence against the closest rival: {100 * share:.0f} % of what is needed."


def beside_least(v: Verdict) -> str:
    """What was used beside the least on average, which is known as well as the estimates are."""
    if not v.decided or not v.least:
        return ""
    used, least = f"{amount(v.used)} {v.unit} were used", f"{amount(v.least)} {v.unit}"
    if v.used < v.least:
        return (
            f"{used}, fewer than the {least} that any method would need on average if this run's "
            "estimates were the truth. They are only estimates, and a run may be luckier than the "
            "average; that least is a guide here, not a bound."
        )
    times = f"{v.used / v.least:.1f} times the {least}"
    return (
        f"{used}: {times} that any method would need on average to be this sure, if this run's "
        "estimates were the truth."
    )


def _ending(v: Verdict) -> str:
    return {
        "budget": "The budget was reached",
        FIXED: "The number to make was made",
        "exhausted": "All examples were used",
        "unavailable": "A service failed again and again",
        "interrupted": "The run was interrupted",
        "running": "The run has not ended",
        "cycle": "Every candidate was ruled out",
        "tied": "All examples were used",
    }.get(v.reason, f"The run ended: {v.reason}")


def _again(lasting: bool) -> str:
    """How to go on with a study, whose log outlives the process if it is `lasting`."""
    if lasting:
        return "Run the same command again: it goes on from here and repeats no paid call."
    return (
        "This study is only in the memory of the process that ran it: there, pick with the same "
        "arguments and store=result.source goes on from here. A run that can be continued later "
        "needs a file as its store."
    )


def next_step(view: StudyView) -> str:
    """What would bring an undecided study further; empty for a decided one."""
    v = view.verdict
    if v is None or v.decided:
        return ""
    again = _again(view.lasting)
    left = f" About {amount(v.remaining)} more {v.unit} are expected." if v.remaining else ""
    failures = v.failures
    if 2 * sum(failures.get("status", {}).values()) > failures.get("runs", 0):
        return "Most runs failed, and a score of a failed run says little: mend that first."
    return {
        "budget": f"Raise the budget. {again}{left}",
        "exhausted": "Add examples, or accept a margin that does not matter (indifference).",
        "unavailable": f"Wait until the service is back. {again}{left}",
        "interrupted": again + left,
        "running": f"If it is no longer running: {again[0].lower()}{again[1:]}{left}",
        "cycle": "What is best depends on the opponent: sharpen the judge's criteria, or decide "
        "between these by other means.",
        "tied": "Take the cheapest of them, or add examples.",
    }.get(v.reason, again)
