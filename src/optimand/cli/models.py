"""`optimand models`: the embedded model's file."""

from __future__ import annotations

import typer

from optimand.cli.common import or_exit, tell

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="The embedded model.")


@app.callback()
def about() -> None:
    """The embedded model."""


@app.command()
def pull() -> None:
    """Fetch the embedded model (98 MB) into the cache folder and check its hash."""
    from optimand.llm import models

    tell(f"{or_exit(models.pull)} is ready")
