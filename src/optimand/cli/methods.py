"""`optimand methods`: the optimizers that `improve` knows."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimand.cli.common import or_exit, print_json, tell

if TYPE_CHECKING:
    from optimand.methods.registry import Method

__all__ = ["app"]

app = typer.Typer(invoke_without_command=True, help="The methods that improve knows.")

_VIEWS = {
    "val": "highest mean on val",
    "train": "highest mean on train",
    "last": "the one kept last",
}


@app.callback()
def about(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """The methods that improve knows: name, source, models asked, and what is their result."""
    if context.invoked_subcommand is None:
        _list(as_json)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="a method's name")],
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Show how a method works, its options with their defaults, its source and its parts."""
    from optimand.methods.registry import named

    found = _described(or_exit(lambda: named(name)))
    if as_json:
        print_json(found)
        return
    tell(f"{found['name']}: {found['source']}")
    tell()
    tell(found["algorithm"])
    tell()
    tell("options:")
    for option, default in found["options"].items():
        tell(f"  {option}: {default!r}")
    tell(f"models asked: {_asked(found)}")
    tell(f"result: {found['result']}")
    tell(f"parts: {', '.join(found['parts'])}")


def _list(as_json: bool) -> None:
    from optimand.cli.tables import print_table
    from optimand.methods.registry import all_methods

    found = [_described(method) for method in all_methods().values()]
    if as_json:
        print_json(found)
        return
    rows = [(m["name"], m["source"], ", ".join(m["models"]) or "none", m["result"]) for m in found]
    print_table(("method", "source", "models asked", "result"), rows)


def _described(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "source": method.source,
        "models": list(method.roles),
        "optional_models": list(method.optional),
        "result": _VIEWS[method.result({})],
        "options": dict(method.defaults),
        "algorithm": inspect.cleandoc(method.search.__doc__ or ""),
        "parts": _parts(method),
    }


def _asked(found: dict[str, Any]) -> str:
    """The models by role; those that may be left out in brackets."""
    roles = [*found["models"], *(f"({role})" for role in found["optional_models"])]
    return ", ".join(roles) or "none"


def _parts(method: Method) -> list[str]:
    """What its module takes from the parts' folders: what it is composed of."""
    folders = ("queries", "operators", "evaluation", "memory", "strategies", "artifacts")
    found = []
    for name, value in vars(inspect.getmodule(method.search)).items():
        home = getattr(value, "__module__", "") or ""
        _, _, rest = home.partition("optimand.")
        if rest.split(".")[0] in folders and home.startswith("optimand."):
            found.append(f"{rest}.{name}")
    return sorted(found)
