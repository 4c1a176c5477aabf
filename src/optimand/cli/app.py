"""The commands, put together. Each module imports what it needs when its command runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from optimand.cli import methods, models
from optimand.cli.answer import answer
from optimand.cli.common import EXIT_CODES
from optimand.cli.demo import demo
from optimand.cli.doctor import doctor
from optimand.cli.export import export
from optimand.cli.improve import improve
from optimand.cli.mcp import mcp
from optimand.cli.pick import pick
from optimand.cli.plan import plan
from optimand.cli.reading import list_studies, report, show

__all__ = ["app"]


class _Commands(TyperGroup):
    """Errors name what was typed, which may come from anywhere: nothing in it is hidden."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with _visible_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _visible_errors():
            return super().invoke(ctx)


@contextmanager
def _visible_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said: Any = error
        if isinstance(getattr(said, "message", None), str):
            from optimand.report.text import visible

            said.message = visible(said.message)
        raise


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from optimand.cli.common import tell
        from optimand.provenance import own_version

        tell(f"optimand {own_version()}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="print the version"),
    ] = False,
) -> None:
    """Pick the best prompt, model or policy, or improve one, at low cost and with proof."""


def _add(command: Callable[..., None], name: str | None = None) -> None:
    """Add a command whose help is its docstring, each paragraph as one line."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(name=name, help=text)(command)


_add(pick)
_add(improve)
_add(plan)
_add(demo)
_add(list_studies, "list")
for _command in (show, report, export, answer, doctor, mcp):
    _add(_command)
app.add_typer(methods.app, name="methods")
app.add_typer(models.app, name="models")
