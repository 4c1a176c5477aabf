"""`optimand plan`: what a study will take, before it is paid for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optimand.cli.common import or_exit, print_json, say, tell

if TYPE_CHECKING:
    from optimand.plan_result import Plan

__all__ = ["plan"]


def plan(
    study: Annotated[Path, typer.Argument(help="a study file (YAML)")],
    store: Annotated[
        str | None, typer.Option(help="where a pilot may be, instead of the study's store")
    ] = None,
    gaps: Annotated[
        str, typer.Option(help="assumed gaps, such as 0.2,0.1: in score, or in win rate above 1/2")
    ] = "",
    confidences: Annotated[
        str, typer.Option("--confidence", help="levels to plan for")
    ] = "0.9,0.95,0.99",
    usd: Annotated[
        float | None, typer.Option(min=0, help="dollars per rollout or comparison, if you know")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0, help="seconds per rollout or comparison, if you know")
    ] = None,
    runs: Annotated[int, typer.Option(min=20, help="simulated runs a row")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Simulate how many rollouts or comparisons a study takes, its cost and its time.

    Nothing is called. Before a first run, gaps between the best and the rest are assumed; after a
    run of the study with a small budget, its estimates, costs and times are used.
    """
    found = or_exit(lambda: _plan(study, store, (gaps, confidences), (usd, seconds), runs))
    if as_json:
        print_json(found.to_json())
        return
    tell(str(found))
    if not found.paid:
        limit = f"budget: {{{found.unit}: 30}}"
        say(f"after a short run of the study ({limit}, say) the plan is made from what it found")


def _plan(
    path: Path,
    store: str | None,
    assumed: tuple[str, str],
    price: tuple[float | None, float | None],
    runs: int,
) -> Plan:
    from functools import partial

    from optimand.evaluation.judges import MemoryDesk
    from optimand.llm.connect import stand_in
    from optimand.picking import study_name
    from optimand.pilot import read_pilot
    from optimand.planning import plan as simulate
    from optimand.tasks.study import load_study

    gaps, confidences = _numbers("--gaps", assumed[0]), _numbers("--confidence", assumed[1])
    study = load_study(path)
    task = study.task(partial(stand_in, folder=path.parent), MemoryDesk())
    entries = study.candidates()
    name = study_name(
        entries, task, confidence=study.confidence, strategy=study.rule(), seed=study.seed
    )
    return simulate(
        entries,
        task,
        gaps=gaps,
        confidences=confidences,
        pilot=read_pilot(store or study.store, name),
        strategy=study.rule(),
        baseline=study.baseline,
        usd=price[0],
        seconds=price[1],
        runs=runs,
    )


def _numbers(option: str, text: str) -> list[float]:
    from optimand.core.errors import InputError

    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"{option} is {text!r}; it takes numbers such as 0.2,0.1") from None
