"""Run or resume a study file that improves one artifact, and say what came out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from optimand.cli.common import print_json, say, tell
from optimand.cli.running import end, guarded

if TYPE_CHECKING:
    from optimand.cli.desk import StudyDesk
    from optimand.improve_result import ImproveResult
    from optimand.methods.registry import Method
    from optimand.tasks.improve_study import ImproveStudy

__all__ = ["finish", "method_of", "run_improvement"]


def run_improvement(path: Path, store: str | None, *, quiet: bool) -> ImproveResult:
    """The result of the study in a file; warnings are said before anything is spent."""
    return guarded(lambda: _loaded(path, store, quiet=quiet), store)


def _loaded(path: Path, store: str | None, *, quiet: bool) -> ImproveResult:
    from optimand.cli.desk import StudyDesk
    from optimand.tasks.improve_study import load_improve_study

    study = load_improve_study(path)
    method_of(study)
    where = store or study.store
    with closing(StudyDesk(where, say)) as desk:
        return _run(study, where, desk, quiet=quiet)


def method_of(study: ImproveStudy) -> tuple[Method, dict[str, Any]]:
    """The method that a study file names, and its options.

    Raises InputError, with the line, for one that is not there, for options it does not have, and
    for a model that it asks and the file does not name.
    """
    from optimand.core.errors import InputError
    from optimand.methods.registry import chosen

    try:
        found, options = chosen(study.method)
    except InputError as error:
        raise study.fault("method", str(error)) from None
    missing = [r for r in found.roles if r not in study.proposers]
    if missing and "proposer" not in study.proposers:
        raise study.fault(
            "proposer",
            f"method {found.name!r} asks a model as {', '.join(missing)}. Name a model, or give "
            "a mapping from role to model.",
        )
    return found, options


def _run(study: ImproveStudy, where: str, desk: StudyDesk, *, quiet: bool) -> ImproveResult:
    from optimand.cli.searching import watch_search
    from optimand.improving import improve, improve_name

    task = study.task(desk=desk)
    for warning in dict.fromkeys(study.warnings):
        say(f"warning: {warning}")
    asked: Mapping[str, Any] = {
        "method": study.method,
        "proposer": study.clients(),
        "change": study.change,
        "confidence": study.confidence,
        "seed": study.seed,
    }
    desk.study = improve_name(study.artifact, task, **asked)
    with watch_search(study.confidence, quiet) as observe:
        return improve(
            study.artifact, task, budget=study.budget, store=where, observe=observe, **asked
        )


def finish(result: ImproveResult, *, as_json: bool, report: Path | None) -> NoReturn:
    """Print the result, write the report, and end with the exit code that says how it went."""
    if as_json:
        print_json(result.to_json())
    else:
        _tell(result)
    end(result, result.proven, as_json=as_json, report=report)


def _tell(result: ImproveResult) -> None:
    """The certificate's table, the verdict, and what has changed where something is proven."""
    from optimand.cli.tables import ranking_table

    verdict = result.certificate
    if verdict is not None and verdict.standings:
        names = {id_: c.name for id_, c in result.known.items()}
        ranking_table(verdict, names, result.threshold)
    tell(str(result))
    before, after = result.start.artifact.parts, result.best.artifact.parts
    for name, value in after.items() if result.proven else ():
        if before.get(name) != value:
            tell(f"--- {name} ---")
            tell(_written(value))


def _written(value: Any) -> str:
    from optimand.evaluation.extract import as_text

    return as_text(value)
