"""Commands that only look: list, show, report. They never write to a store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimand.cli.common import BAD, leave, or_exit, print_json, say, tell
from optimand.cli.studies import DEFAULT_STORE, opened, reading

if TYPE_CHECKING:
    from optimand.core.store import Journal, StudyInfo
    from optimand.report.study import StudyView

__all__ = ["STORE", "STUDY", "list_studies", "report", "show"]

STUDY = typer.Argument(help="a study's name, the beginning of its name, or its file")
STORE = typer.Option(
    help=f"a store: a file or a postgresql:// URL; by default the study file's, or {DEFAULT_STORE}",
    show_default=False,
)
JSON = typer.Option("--json", help="print as JSON")


def list_studies(
    store: Annotated[
        str | None,
        typer.Argument(
            help=f"a store: a file or a postgresql:// URL; by default {DEFAULT_STORE}",
            show_default=False,
        ),
    ] = None,
    option: Annotated[
        str | None, typer.Option("--store", help="the same, written as elsewhere")
    ] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """List the studies in a store, and how far they are."""
    if store and option and store != option:
        leave(f"error: two stores are given, {store} and {option}; give one", BAD)
    where = store or option or DEFAULT_STORE
    entries = or_exit(lambda: _entries(where))
    if as_json:
        print_json(entries)
        return
    if not entries:
        say(f"{where} holds no studies")
        return
    from optimand.cli.tables import print_table

    head = ("study", "begun", "state", "best", "used", "events")
    rows = [
        (e["study"], e["begun"], e["state"], e["best"] or "", _used(e), str(e["events"]))
        for e in entries
    ]
    print_table(head, rows, "llllrr")


def _used(entry: dict[str, Any]) -> str:
    return f"{entry['used']} {entry['unit']}" if entry["unit"] else ""


def _entries(where: str) -> list[dict[str, Any]]:
    found = []
    hint = "`optimand pick` makes one; to look into another, add --store FILE"
    with reading(where, hint) as store:
        for info in store.studies():
            with closing(store.read(info.name)) as journal:
                found.append(_entry(info, journal))
    return found


def _entry(info: StudyInfo, journal: Journal) -> dict[str, Any]:
    from optimand.cli import improvements
    from optimand.report.improve.view import is_improvement
    from optimand.report.study import view_study

    if is_improvement(info):
        return improvements.entry(info, journal)
    view = view_study(info, journal)
    v = view.verdict
    return {
        "study": info.name,
        "begun": info.created,
        "state": _state(view),
        "finished": view.finished,
        "decided": view.finished and v is not None and v.decided,
        "reason": v.reason if v else None,
        "best": view.name_of(v.best) if v and v.best else None,
        "confidence": v.confidence if v else None,
        "used": v.used if v else 0,
        "unit": v.unit if v else None,
        "events": info.events,
    }


def _state(view: StudyView) -> str:
    v = view.verdict
    if v is None or not view.finished:
        return "unfinished"
    return f"decided: {v.reason}" if v.decided else f"undecided: {v.reason}"


def show(
    study: Annotated[str, STUDY],
    store: Annotated[str | None, STORE] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Show where a study stands, also while it runs."""
    or_exit(lambda: _show(study, store, as_json))


def _show(study: str, where: str | None, as_json: bool) -> None:
    from optimand.cli import improvements
    from optimand.core.wording import under_way
    from optimand.report.calls import read_calls
    from optimand.report.improve.view import is_improvement
    from optimand.report.sentences import headline, next_step, rests_on
    from optimand.report.study import view_study
    from optimand.result import plain

    with opened(study, where) as (store, info), closing(store.read(info.name)) as journal:
        if is_improvement(info):
            improvements.show(info, journal, _spent, as_json)
            return
        view = view_study(info, journal)
        calls = read_calls(journal, None)
    spent = calls.spent(view.seconds)
    v = view.verdict
    if as_json:
        names = {c: view.name_of(c) for c in (*view.order, *view.names)}
        state = {"study": info.name, "state": _state(view), "names": names}
        known = plain(v, names, spent, info.name, view.line) if v else {"spent": spent}
        print_json({**known, **state})
        return
    from optimand.cli.tables import ranking_table

    if v is not None and v.standings:
        ranking_table(v, view.names, view.line)
    tell(f"{info.name}: {headline(view)}")
    tell(rests_on(view))
    tell(_spent(spent, calls.judged))
    if v is not None and (more := under_way(v, spent)):
        tell(f"Of the {v.used:,} {v.unit}: {more}.")
    if step := next_step(view):
        tell(step)


def _spent(spent: dict[str, float], judged: int) -> str:
    from optimand.cli.progress import spent_so_far
    from optimand.core.amounts import clock

    known = spent_so_far(spent, judged)
    return f"Spent: {known + ', ' if known else ''}{clock(spent['seconds'])} of active time."


def report(
    study: Annotated[str, STUDY],
    store: Annotated[str | None, STORE] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="where to write it; by default NAME.html here"),
    ] = None,
) -> None:
    """Write a study as one HTML page, also while it runs."""
    written = or_exit(lambda: _report(study, store, out))
    (tell if written.is_file() else say)(str(written))  # a pipe gets the page and nothing else


def _report(study: str, where: str | None, out: Path | None) -> Path:
    from optimand.report import report_study

    with opened(study, where) as (store, info):
        return report_study(store, info.name, out or Path(_file_name(info.name)))


def _file_name(study: str) -> str:
    """The study's name as a file name: whatever it says, it stays in this folder."""
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in study)
    return f"{kept.strip()[:100] or 'study'}.html"
