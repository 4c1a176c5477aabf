"""The commands, put together. Each module imports what it needs when its command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from optimand.cli import models
from optimand.cli.answer import answer
from optimand.cli.common import EXIT_CODES
from optimand.cli.demo import demo
from optimand.cli.doctor import doctor
from optimand.cli.export import export
from optimand.cli.pick import pick
from optimand.cli.reading import list_studies, report, show

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from optimand.cli.common import tell
        from optimand.tasks.provenance import own_version

        tell(f"optimand {own_version()}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="print the version"),
    ] = False,
) -> None:
    """Pick the best prompt, model or policy with few paid evaluations, and with proof."""


app.command()(pick)
app.command()(demo)
app.command(name="list")(list_studies)
app.command()(show)
app.command()(report)
app.command()(export)
app.command()(answer)
app.command()(doctor)
app.add_typer(models.app, name="models")
