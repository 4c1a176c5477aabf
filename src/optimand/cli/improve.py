"""`optimand improve`: search for a better artifact, and prove the gain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import or_exit

__all__ = ["improve"]


def improve(
    study: Annotated[Path, typer.Argument(help="a study file (YAML) with a section `improve`")],
    store: Annotated[
        str | None, typer.Option(help="store to use instead of the study's: a file or a URL")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    report: Annotated[
        Path | None, typer.Option(help="write the result as one HTML page to this path")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="show no progress")] = False,
) -> None:
    """Search for a better artifact, and prove the gain on examples that the search never saw.

    Exit code 0 when the result is proven better than the start, 3 when it is not, 130 when
    interrupted. The same command again goes on where the run was and repeats no paid call.
    """
    from optimand.cli.improving import finish, run_improvement

    result = or_exit(lambda: run_improvement(study, store, quiet=quiet))
    finish(result, as_json=as_json, report=report)
