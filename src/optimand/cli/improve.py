"""`optimand improve`: search for a better artifact, and prove the gain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import or_exit
from optimand.cli.options import AsJson, Quiet, Report, StoreOf

__all__ = ["improve"]


def improve(
    study: Annotated[Path, typer.Argument(help="a study file (YAML) with a section `improve`")],
    store: StoreOf = None,
    as_json: AsJson = False,
    report: Report = None,
    quiet: Quiet = False,
) -> None:
    """Search for a better artifact, and prove the gain on examples that the search never saw.

    Exit code 0 when the result is proven better than the start, 3 when it is not, 130 when
    interrupted. The same command again goes on where the run was and repeats no paid call.
    """
    from optimand.cli.improving import finish, run_improvement

    result = or_exit(lambda: run_improvement(study, store, quiet=quiet))
    finish(result, as_json=as_json, report=report)
