"""What `list`, `show` and `export` say of a study that improves one artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from optimand.cli.common import print_json, tell

if TYPE_CHECKING:
    from optimand.core.store import Journal, StudyInfo
    from optimand.report.improve.view import SearchView

__all__ = ["entry", "proposals", "show"]


def entry(info: StudyInfo, journal: Journal) -> dict[str, Any]:
    """The study as one row of `optimand list`."""
    from optimand.report.improve.view import view_search
    from optimand.report.improve.words import state

    view = view_search(info, journal)
    parts = (view.search, view.certificate)
    used = sum(v.used for v in parts if v is not None)
    return {
        "study": info.name,
        "begun": info.created,
        "state": f"improve: {state(view)}",
        "finished": view.study.finished,
        "decided": view.certificate is not None and view.certificate.decided,
        "reason": None if view.study.verdict is None else view.study.verdict.reason,
        "best": view.name_of(view.best) if view.search else None,
        "confidence": None if view.certificate is None else view.certificate.confidence,
        "used": used,
        "unit": "rollouts" if used else None,
        "events": info.events,
    }


def show(info: StudyInfo, journal: Journal, spent_words: Any, as_json: bool) -> None:
    """Print where the study stands; `spent_words` turns what was spent into a line."""
    from optimand.cli.tables import ranking_table
    from optimand.report.calls import read_calls
    from optimand.report.improve.view import view_search
    from optimand.report.improve.words import finding, next_step, rests_on

    view, calls = view_search(info, journal), read_calls(journal, None)
    spent = calls.spent(view.study.seconds)
    if as_json:
        print_json(_plain(view, spent))
        return
    v = view.certificate
    if v is not None and v.standings:
        ranking_table(v, view.study.names, view.study.line)
    tell(f"{info.name}: {finding(view)}")
    tell(rests_on(view))
    for text in view.warnings:
        tell(f"Warning: {text}")
    tell(" > ".join(one.name for one in view.lineage))
    tell(spent_words(spent, calls.judged))
    if step := next_step(view):
        tell(step)


def _plain(view: SearchView, spent: Mapping[str, float]) -> dict[str, Any]:
    from optimand.report.improve.words import reasons, state, uncertified

    v, found = view.certificate, view.candidates.get(view.best)
    return {
        "study": view.study.name,
        "state": state(view),
        "method": view.study.settings.get("method"),
        "best": view.name_of(view.best),
        "best_parts": dict(found.parts) if found else {},
        "start": view.name_of(view.start),
        "proven": view.proven,
        "gain": dict(v.gain) if v is not None and v.gain else None,
        "uncertified": "" if v is not None else uncertified(view),
        "warnings": list(view.warnings),
        "lineage": [one.name for one in view.lineage],
        "steps": len(view.steps),
        "kept": len(view.kept),
        "reasons": dict(reasons(view)),
        "names": {c.id: c.name for c in view.candidates.values()},
        "search": view.search.to_json() if view.search else None,
        "certificate": v.to_json() if v is not None else None,
        "spent": dict(spent),
    }


def proposals(info: StudyInfo, journal: Journal) -> Iterator[dict[str, Any]]:
    """Every candidate that has been made, with its parts and what became of it."""
    from optimand.report.improve.view import is_improvement, view_search

    if not is_improvement(info):
        for id_, known in info.settings.get("candidates", {}).items():
            yield {
                "candidate": id_,
                "name": known.get("name"),
                "operator": "given",
                "parents": [],
                "parts": known.get("parts", {}),
            }
        return
    view = view_search(info, journal)
    fate: dict[str, Mapping[str, Any]] = {}
    for trial in view.trials:  # one that was kept stays so when it is proposed again
        if trial.get("candidate") and not fate.get(trial["candidate"], {}).get("accepted"):
            fate[trial["candidate"]] = trial
    for one in view.candidates.values():
        found = fate.get(one.id, {})
        yield {
            "candidate": one.id,
            "name": one.name,
            "operator": one.operator,
            "parents": list(one.parents),
            "step": one.step,
            "kept": True if one.id == view.start else found.get("accepted"),
            "why": found.get("why", ""),
            "val": view.value(one.id),
            "train": view.value(one.id, "train"),
            "best": one.id == view.best,
            "parts": dict(one.parts),
        }
