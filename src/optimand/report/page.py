"""From a study's log to one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

from optimand.core.store import Journal, StudyInfo
from optimand.report import made, sections
from optimand.report.calls import read_calls
from optimand.report.differences import find_differences, top_two
from optimand.report.improve.page import render_improvement
from optimand.report.improve.view import is_improvement
from optimand.report.matrix import matrix_of
from optimand.report.sentences import headline, next_step, rests_on
from optimand.report.study import view_study
from optimand.report.templating import template

__all__ = ["render"]


def render(info: StudyInfo, journal: Journal, *, lasting: bool = True) -> str:
    """The page for the study that `journal` logs, finished or not.

    `lasting`: whether the log outlives the process that wrote it.
    """
    if is_improvement(info):
        return render_improvement(info, journal, lasting=lasting)
    view = view_study(info, journal, lasting=lasting)
    pair = top_two(view.verdict)
    calls = read_calls(journal, info.settings.get("judge"), pair)
    standing = view.verdict is not None and bool(view.verdict.standings)
    page: str = template("report.html.j2").render(
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
