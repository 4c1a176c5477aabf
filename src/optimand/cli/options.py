"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "Quiet", "Report", "StoreOf"]

StoreOf = Annotated[
    str | None, typer.Option(help="store to use instead of the study's: a file or a URL")
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
Report = Annotated[Path | None, typer.Option(help="write the result as one HTML page to this path")]
Quiet = Annotated[bool, typer.Option("--quiet", help="show no progress")]
