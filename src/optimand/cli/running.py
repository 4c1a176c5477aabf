"""Run or resume a study file, and say what came out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer

from optimand.cli.common import (
    DECIDED,
    INTERRUPTED,
    UNDECIDED,
    leave,
    or_exit,
    print_json,
    say,
    tell,
)

if TYPE_CHECKING:
    from optimand.cli.desk import StudyDesk
    from optimand.improve_result import ImproveResult
    from optimand.result import PickResult
    from optimand.tasks.study import Study

__all__ = ["end", "finish", "guarded", "run_study"]

R = TypeVar("R")

GOES_ON = "interrupted; the same command again goes on"
LOST = "interrupted; nothing is kept of a run in memory (give it a file as its store)"


def run_study(path: Path, store: str | None, *, quiet: bool) -> PickResult:
    """The result of the study in a file; warnings are said before anything is spent."""
    return guarded(lambda: _loaded(path, store, quiet=quiet), store)


def guarded(work: Callable[[], R], store: str | None) -> R:
    """What `work` gives; Ctrl-C and a polite kill end the program with a word and code 130."""
    from optimand.cli.signals import ends_politely

    with ends_politely():
        try:
            return work()
        except KeyboardInterrupt:
            leave("interrupted" if store == "memory:" else GOES_ON, INTERRUPTED)


def _loaded(path: Path, store: str | None, *, quiet: bool) -> PickResult:
    from optimand.cli.desk import StudyDesk
    from optimand.tasks.study import load_study

    study = load_study(path)
    where = store or study.store
    with closing(StudyDesk(where, say)) as desk:
        return _run(study, where, desk, quiet=quiet)


def _run(study: Study, where: str, desk: StudyDesk, *, quiet: bool) -> PickResult:
    from optimand.cli.edited import edited_note
    from optimand.cli.live import watch
    from optimand.core.identity import study_settings
    from optimand.picking import pick, study_name
    from optimand.provenance import stopping_line

    task, rule, entries = study.task(desk=desk), study.rule(), study.candidates()
    found = [
        complaint.message for complaint in task.review(entries) if complaint.severity != "error"
    ]
    for warning in dict.fromkeys((*study.warnings, *_new(found, study.warnings))):
        say(f"warning: {warning}")
    desk.study = study_name(
        entries,
        task,
        confidence=study.confidence,
        strategy=rule,
        seed=study.seed,
        warm_start=study.warm_start,
        store=where,
    )
    settings = study_settings(entries, task, study.confidence, rule, study.seed)
    if not study.warm_start and (note := edited_note(where, desk.study, settings)):
        say(note)
    with watch(stopping_line(rule, len(entries)), quiet) as observe:
        return pick(
            entries,
            task,
            confidence=study.confidence,
            budget=study.budget,
            store=where,
            strategy=rule,
            seed=study.seed,
            observe=observe,
            warm_start=study.warm_start,
        )


def _new(found: list[str], said: tuple[str, ...]) -> list[str]:
    """What is not said already, there with its line in front."""
    return [text for text in found if not any(text in other for other in said)]


def finish(result: PickResult, *, as_json: bool, report: Path | None) -> NoReturn:
    """Print the result, write the report, and end with the exit code that says how it went."""
    from optimand.cli.tables import ranking_table
    from optimand.core.verdict import FIXED

    if as_json:
        print_json(result.to_json())
    else:
        if result.verdict.standings:
            ranking_table(result.verdict, result.names, result.threshold)
        tell(str(result))
        v = result.verdict
        if v.decided and v.equal and v.equal > v.used:
            tell(f"Saved against testing all equally: {1 - v.used / v.equal:.0%}.")
    as_asked = result.decided or result.reason == FIXED
    end(result, as_asked, as_json=as_json, report=report)


def end(
    result: PickResult | ImproveResult, as_asked: bool, *, as_json: bool, report: Path | None
) -> NoReturn:
    """Write the report, if there is to be one, and end with the exit code."""
    if report is not None:
        written = or_exit(lambda: result.report(report))
        (say if as_json else tell)(f"Report: {written}")
    if result.interrupted:
        leave(f"{GOES_ON} ({result.study})" if result.lasting else LOST, INTERRUPTED)
    raise typer.Exit(DECIDED if as_asked else UNDECIDED)
