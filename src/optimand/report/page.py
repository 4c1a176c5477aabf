"""From a study's log to one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from optimand.core.store import Journal, StudyInfo
from optimand.report import made, sections
from optimand.report.calls import read_calls
from optimand.report.differences import find_differences, top_two
from optimand.report.matrix import matrix_of
from optimand.report.sentences import amount, headline, next_step, percent, rests_on
from optimand.report.study import view_study
from optimand.report.text import visible
from optimand.result import price

__all__ = ["render"]

TEMPLATES = Path(__file__).parent / "templates"


def render(info: StudyInfo, journal: Journal, *, lasting: bool = True) -> str:
    """The page for the study that `journal` logs, finished or not.

    `lasting`: whether the log outlives the process that wrote it.
    """
    view = view_study(info, journal, lasting=lasting)
    pair = top_two(view.verdict)
    calls = read_calls(journal, info.settings.get("judge"), pair)
    standing = view.verdict is not None and bool(view.verdict.standings)
    page: str = _template().render(
        view=view,
        verdict=view.verdict,
        headline=headline(view),
        rests_on=rests_on(view),
        next_step=next_step(view),
        facts=sections.facts(view, calls),
        ranking=sections.ranking(view, calls) if standing else None,
        evidence=sections.evidence(view),
        matrix=matrix_of(view),
        spending=sections.spending(view, calls) if standing else None,
        differences=find_differences(journal, calls, pair, view.names),
        judge=made.judge(view, calls),
        candidates=sections.candidates(view),
        provenance=made.provenance(view),
    )
    return page


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "percent": percent}
    environment.globals["price"] = price
    return environment.get_template("report.html.j2")


def _seen(value: Any) -> Any:
    """Every text on the page shows its control characters, wherever it comes from."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
