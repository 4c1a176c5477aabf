"""`optimand demo`: a real study on the embedded model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import or_exit
from optimand.cli.options import AsJson, Quiet

__all__ = ["demo"]


def demo(
    store: Annotated[Path, typer.Option(help="where to keep the run; it resumes")] = Path(
        "optimand-demo.db"
    ),
    report: Annotated[
        Path | None,
        typer.Option(
            help="where to write the report; by default optimand-demo.html next to the store",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find the best of six ways to ask the embedded model 160 small questions."""
    from optimand.cli.running import finish, run_study

    study = Path(__file__).parent.parent / "demo" / "study.yaml"
    place = store.absolute()
    result = or_exit(lambda: run_study(study, str(place), quiet=quiet))
    finish(result, as_json=as_json, report=report or place.with_name("optimand-demo.html"))
