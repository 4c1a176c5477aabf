"""From the log of an improvement to one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.core.store import Journal, StudyInfo
from optimand.evaluation.extract import as_text
from optimand.report import made
from optimand.report.calls import Calls, read_calls
from optimand.report.improve import sections
from optimand.report.improve.accounts import accounts
from optimand.report.improve.view import SearchView, view_search
from optimand.report.improve.words import finding, next_step, rests_on, state
from optimand.report.sections import doors, ranking, unpriced
from optimand.report.templating import template

__all__ = ["render_improvement"]


def render_improvement(info: StudyInfo, journal: Journal, *, lasting: bool = True) -> str:
    """The page for the improvement that `journal` logs, finished or not."""
    view = view_search(info, journal, lasting=lasting)
    calls = read_calls(journal, info.settings.get("judge"))
    v = view.certificate
    page: str = template("improve.html.j2").render(
        view=view.study,
        state=state(view),
        proven=view.proven,
        headline=finding(view),
        rests_on=rests_on(view),
        next_step=next_step(view),
        warnings=view.warnings,
        facts=sections.facts(view, calls),
        progress=sections.progress(view),
        film=sections.film(view),
        lineage=sections.lineage(view),
        accounts=accounts(view),
        artifact=sections.artifact(view),
        fronts=sections.fronts(view),
        failures=sections.failures(view),
        overfit=sections.overfit(view),
        ranking=ranking(view.study, calls) if v is not None and v.standings else None,
        spending=_spending(calls),
        judge=made.judge(view.study, calls),
        provenance=_provenance(view),
    )
    return page


def _spending(calls: Calls) -> dict[str, Any]:
    return {
        "chart": None,
        "doors": doors(calls),
        "total": calls.total,
        "unpriced": unpriced(calls),
        "judged": calls.judged,
        "beside_least": "",
    }


def _provenance(view: SearchView) -> list[tuple[str, str]]:
    """Label and text of everything that fixes the run: the study's, and the search's own."""
    settings = view.study.settings
    seen = ", ".join(f"{name} {count:,}" for name, count in view.seen.items())
    own = {
        "strategy": _options(settings.get("method")),
        "examples": seen or "drawn from the seed, without end",
    }
    found = [(label, own.get(label, text)) for label, text in made.provenance(view.study)]
    if "examples" not in dict(found):
        found.append(("examples", own["examples"]))
    extra = [
        ("proposers", _listed(settings.get("models"))),
        ("may change", _listed(settings.get("change"))),
    ]
    named = [("method" if label == "strategy" else label, text) for label, text in found]
    return named + [(label, text) for label, text in extra if text]


def _options(method: Any) -> str:
    if not isinstance(method, Mapping):
        return as_text(method)
    rest = _listed({k: v for k, v in method.items() if k != "type"})
    return f"{as_text(method.get('type'))} ({rest})" if rest else as_text(method.get("type"))


def _listed(given: Any) -> str:
    items = given.items() if isinstance(given, Mapping) else ()
    return ", ".join(f"{name}: {as_text(value)}" for name, value in items if value not in ({}, []))
