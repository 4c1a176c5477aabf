"""Commands: pick, list, models pull. Exit codes: 0 decided, 3 undecided, 2 bad input or set-up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from optimand.core.action import Strategy
from optimand.core.errors import OptimandError
from optimand.core.run import Run
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.result import PickResult

if TYPE_CHECKING:
    from optimand.tasks.study import Study

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
models_app = typer.Typer(no_args_is_help=True, help="The embedded model.")
app.add_typer(models_app, name="models")
say = Console(stderr=True, highlight=False)

UNDECIDED, BAD = 3, 2
T = TypeVar("T")


@app.callback()
def about() -> None:
    """Pick the best prompt, model or policy with few paid evaluations, and with proof."""


@app.command()
def pick(
    study: Annotated[Path, typer.Argument(help="a study file (YAML)")],
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Run or resume a study and print its verdict. Exit code 3 when undecided."""
    result = _or_exit(lambda: _picked(study))
    if as_json:
        sys.stdout.write(json.dumps(_plain(result), indent=2) + "\n")
    else:
        _print(result)
    raise typer.Exit(0 if result.decided else UNDECIDED)


@app.command()
def demo(
    store: Annotated[Path, typer.Option(help="where to keep the run; it resumes")] = Path(
        "optimand-demo.db"
    ),
) -> None:
    """Find the best of six ways to ask the embedded model 160 small questions."""
    study = Path(__file__).parent.parent / "demo" / "study.yaml"
    result = _or_exit(lambda: _picked(study, store.absolute()))
    _print(result)
    raise typer.Exit(0 if result.decided else UNDECIDED)


@app.command(name="list")
def list_studies(
    store: Annotated[Path, typer.Argument(help="a store file")] = Path("optimand.db"),
) -> None:
    """List the studies in a store."""
    from optimand.storage.sqlite import SqliteStore

    infos = _or_exit(lambda: SqliteStore(store, read_only=True).studies())
    table = Table("study", "made", "events")
    for info in infos:
        table.add_row(info.name, info.created, str(info.events))
    Console().print(table)


@models_app.command()
def pull() -> None:
    """Fetch the embedded model (98 MB) into the cache folder and check its hash."""
    from optimand.llm import models

    say.print(f"{_or_exit(models.pull)} is ready")


def _or_exit(work: Callable[[], T]) -> T:
    try:
        return work()
    except OptimandError as error:
        say.print(f"error: {error}", markup=False)
        raise typer.Exit(BAD) from None


def _picked(path: Path, store: Path | None = None) -> PickResult:
    from optimand.pick import pick as pick_best
    from optimand.tasks.study import load_study

    study = load_study(path)
    task = study.task()
    with say.status("starting") as status:

        def observe(verdict: Verdict, run: Run) -> None:
            names = {c.id: c.name for c in run.candidates}
            racing = [names[s.candidate] for s in verdict.standings if s.alive]
            status.update(
                f"{verdict.used} {verdict.unit}, confidence {verdict.confidence:.3f}, "
                f"still in the race: {', '.join(racing)}"
            )

        return pick_best(
            study.candidates(),
            task,
            confidence=study.confidence,
            budget=study.budget,
            store=store or study.store,
            strategy=_strategy(study, task),
            seed=study.seed,
            observe=observe,
        )


def _strategy(study: Study, task: Task) -> Strategy | None:
    """The strategy a study file asks for; None for the default."""
    from optimand.core.errors import InputError

    pairs = task.judge is not None and task.judge.kind == "pair"
    fitting = "duel" if pairs else "race"
    if study.strategy not in (None, fitting):
        raise InputError(
            f"{study.path}: strategy {study.strategy!r} does not fit this judge; "
            f"use {fitting!r}, or leave it out"
        )
    if not study.indifference:
        return None
    if not pairs:
        raise InputError(f"{study.path}: indifference needs a judge that compares pairs")
    from optimand.statistics.duel import DuelOptions
    from optimand.strategies.pick.duel import Duel

    return Duel(DuelOptions(delta=1.0 - study.confidence, indifference=study.indifference))


def _plain(result: PickResult) -> dict[str, object]:
    best = result.best
    return {
        "best": best.name if best else None,
        "names": {c.id: c.name for c in result.candidates.values()},
        "spent": dict(result.spent),
        **result.verdict.to_json(),
    }


def _print(result: PickResult) -> None:
    out = Console()
    table = Table("", "candidate", result.verdict.measure, "interval", "runs", "evidence against")
    for candidate, s in result.ranking:
        interval = f"{s.low:.3f} to {s.high:.3f}"
        row = (str(s.rank), candidate.name, f"{s.estimate:.3f}", interval, str(s.runs))
        table.add_row(*row, f"{s.evidence:.1f}")
    out.print(table)
    out.print(str(result), markup=False)
    if result.verdict.equal:
        saved = 1 - result.verdict.used / result.verdict.equal
        out.print(f"Saved against testing all equally: {saved:.0%}.")
