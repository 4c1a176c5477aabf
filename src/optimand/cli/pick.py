"""`optimand pick`: run or resume a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import or_exit
from optimand.cli.options import AsJson, Quiet, Report, StoreOf

__all__ = ["pick"]


def pick(
    study: Annotated[Path, typer.Argument(help="a study file (YAML)")],
    store: StoreOf = None,
    as_json: AsJson = False,
    report: Report = None,
    quiet: Quiet = False,
) -> None:
    """Run or resume a study and print its verdict.

    Exit code 0 when decided, 3 when undecided, 130 when interrupted. The same command again goes on
    where the run was and repeats no paid call.
    """
    from optimand.cli.running import finish, run_study

    result = or_exit(lambda: run_study(study, store, quiet=quiet))
    finish(result, as_json=as_json, report=report)
