"""`optimand doctor`: is everything here that a run needs, and if not, what is to be done?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimand.cli.common import BAD, print_json, tell
from optimand.cli.studies import DEFAULT_STORE

__all__ = ["doctor"]

_SIGNS = {"ok": "ok  ", "note": "note", "fault": "BAD "}


def doctor(
    study: Annotated[
        Path | None, typer.Argument(help="a study file to check as far as is free")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help=f"a store to check; by default the study's, or {DEFAULT_STORE}",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Check this machine, and a study file, without calling anything.

    Exit code 2 when something is found that would stop a run.
    """
    from optimand.cli.checks import checks

    found = checks(study, store)
    if as_json:
        print_json([{"what": c.what, "state": c.state, "text": c.text} for c in found])
    else:
        width = max(len(c.what) for c in found)
        for c in found:
            tell(f"{_SIGNS[c.state]}  {c.what:{width}}  {c.text}")
    if any(c.state == "fault" for c in found):
        raise typer.Exit(BAD)
