"""`optimand pick`: run or resume a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import or_exit

__all__ = ["pick"]


def pick(
    study: Annotated[Path, typer.Argument(help="a study file (YAML)")],
    store: Annotated[
        str | None, typer.Option(help="store to use instead of the study's: a file or a URL")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    report: Annotated[
        Path | None, typer.Option(help="write the result as one HTML page to this path")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="show no progress")] = False,
) -> None:
    """Run or resume a study and print its verdict.

    Exit code 0 when decided, 3 when undecided, 130 when interrupted. The same command again goes on
    where the run was and repeats no paid call.
    """
    from optimand.cli.running import finish, run_study

    result = or_exit(lambda: run_study(study, store, quiet=quiet))
    finish(result, as_json=as_json, report=report)
