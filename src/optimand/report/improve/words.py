"""An improvement in words: the verdict, what it rests on, what can be done next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from optimand.core.verdict import Verdict
from optimand.report.improve.view import SearchView
from optimand.report.sentences import amount, percent

__all__ = ["finding", "next_step", "reasons", "rests_on", "state", "uncertified"]

_ENDED = ("finished", "budget")
"""How a search may end so that its result goes into a certificate."""
AGAIN = "Run the same command again: it goes on from here and repeats no paid call."
LOST = (
    "This study is only in the memory of the process that ran it: there, improve with the same "
    "arguments and store=result.source goes on from here."
)


def state(view: SearchView) -> str:
    """The state in a word or two, as lists and pages show it."""
    if not view.study.finished:
        return "not finished"
    return "proven" if view.proven else "not proven"


def finding(view: SearchView) -> str:
    """The verdict in one sentence."""
    start, best = view.name_of(view.start), view.name_of(view.best)
    v = view.certificate
    if v is None or not v.standings:
        return _without(view)
    if view.proven:
        return f"{best} is proven better than {start}{_gain(v)}."
    if view.study.finished:
        return f"{start} is kept: no gain is proven."
    return f"Not proven yet: {best} leads in the certificate."


def _gain(v: Verdict) -> str:
    if not v.gain:
        return ""
    return f": gain {_interval(v.gain)}"


def _without(view: SearchView) -> str:
    v = view.search
    if v is None:
        return "There is no result yet."
    best = view.name_of(v.best or view.start)
    if v.reason == "running":
        return f"The search goes on: {best} is best so far." if best else "The search goes on."
    return f"Nothing is proven: {uncertified(view)}."


def uncertified(view: SearchView) -> str:
    """Why there is no certificate."""
    v = view.search
    if v is None:
        return "the search has not begun"
    if v.reason not in _ENDED:
        return f"{v.reason} ({v.detail})" if v.detail else v.reason
    if v.best in (None, view.start):
        return "the search found nothing that scored higher than the start"
    if "test" not in view.seen and view.seen:
        return "the task has no test examples"
    return "the certificate has not begun"


def rests_on(view: SearchView) -> str:
    """What the verdict rests on, in one or two sentences."""
    v = view.certificate
    made, kept = sum(1 for _ in view.trials), len(view.kept)
    searched = f"{amount(made)} proposals in {amount(len(view.steps))} steps, {amount(kept)} kept"
    if v is None:
        return f"{searched}. Scores of a search are the best of many and prove nothing."
    said = f"Compared on examples that the search never saw, {amount(v.used)} {v.unit}"
    if view.proven:
        return f"{said}, at confidence {percent(view.study.confidence)}. Before that: {searched}."
    rivals = [s for s in v.standings if s.candidate != view.start]
    between = ""
    if rivals:
        top = rivals[0]
        between = f"; {view.name_of(top.candidate)} scored {top.estimate:.3f} there"
    return f"{said}{between}; {v.reason}. Before that: {searched}."


def _interval(gain: Mapping[str, Any]) -> str:
    return f"{gain['estimate']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]"


def next_step(view: SearchView) -> str:
    """What would bring an unproven study further; empty for a proven one."""
    if view.proven:
        return ""
    more = AGAIN if view.study.lasting else LOST
    v = view.certificate
    if v is not None and v.reason == "exhausted":
        left = f" About {amount(v.remaining)} more {v.unit} are expected." if v.remaining else ""
        return f"Add test examples: these could not settle it.{left}"
    ended = v or view.search
    if ended is None or ended.reason in ("budget", "interrupted", "running", "unavailable"):
        return more
    return "Search longer, with another method or proposer, or on harder examples."


def reasons(view: SearchView) -> list[tuple[str, int]]:
    """Why proposals were not kept, the most frequent first; numbers in brackets do not count."""
    found: Counter[str] = Counter()
    for trial in view.trials:
        if not trial["accepted"]:
            found[_kind(str(trial.get("why", "")))] += 1
    return found.most_common()


def _kind(why: str) -> str:
    """The reason without the numbers at its end."""
    text = why.strip()
    if text.endswith(")") and "(" in text:
        inner = text[text.rindex("(") + 1 : -1]
        if not any(c.isalpha() for c in inner):
            text = text[: text.rindex("(")].rstrip()
    return text or "no reason given"
