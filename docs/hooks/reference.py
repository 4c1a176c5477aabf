"""Fills the reference pages from the code, so that they cannot go stale.

A line `<!-- generated: NAME -->` in a page is replaced by the text of the function NAME here. A
line that begins `> In the repository` says where else to look, for those who read the page there;
it is left out of the site.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

__all__ = ["fill", "on_page_markdown"]

_NOTE = re.compile(r"^> In the repository.*\n\n?", re.MULTILINE)
_MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return fill(markdown)


def fill(markdown: str) -> str:
    """The page with every mark replaced. Raises KeyError for a name that is not known."""
    return _MARK.sub(lambda match: _MAKERS[match[1]](), _NOTE.sub("", markdown))


def commands() -> str:
    """Every command with its arguments and options."""
    import typer

    from optimand.cli.app import app

    return "\n\n".join(_commands(typer.main.get_command(app), ("optimand",)))


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    children: Mapping[str, Any] = getattr(command, "commands", {})
    for name, child in children.items():
        if getattr(child, "commands", None):
            if child.invoke_without_command:
                yield _command(child, (*path, name))
            yield from _commands(child, (*path, name))
        elif not getattr(child, "hidden", False):
            yield _command(child, (*path, name))


def _command(command: Any, path: tuple[str, ...]) -> str:
    usage, rows = " ".join(path), []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            label = parameter.name.upper()
            usage += f" {label}" if parameter.required else f" [{label}]"
        else:
            label = ", ".join(parameter.opts)
        rows.append((f"`{label}`", parameter.help or "", _shown(parameter.default)))
    if any(parameter.param_type_name == "option" for parameter in command.params):
        usage += " [OPTIONS]"
    table = "\n\n" + _table(("parameter", "meaning", "default"), rows) if rows else ""
    return f"## `{' '.join(path)}`\n\n{command.help}\n\n```text\n{usage}\n```{table}"


def study_fields() -> str:
    """Every field of a study file, by section."""
    from optimand.tasks.studyfile import study_schema

    schema = study_schema()
    parts = ["## Top level\n\n" + _properties(schema)]
    titles = {
        "PolicyForm": "An entry of `policies`",
        "GridForm": "`grid`",
        "TurnForm": "An entry of `turns`",
        "BudgetForm": "`budget`",
        "WarmStartForm": "`warm_start`",
    }
    for name, title in titles.items():
        part = schema["$defs"][name]
        parts.append(f"## {title}\n\n{part['description']}\n\n{_properties(part)}")
    return "\n\n".join(parts)


def improve_fields() -> str:
    """Every field of the section `improve`, and of divided examples."""
    from optimand.tasks.improveform import ControlForm, FunctionForm, improve_schema

    schema = improve_schema()["$defs"]
    parts = {
        "`improve`": schema["ImproveForm"],
        "`improve` with `run`": FunctionForm.model_json_schema(),
        "`improve` with `control`": ControlForm.model_json_schema(),
        "`control`": ControlForm.model_json_schema()["$defs"]["EnvironmentForm"],
        "`examples` as a mapping": schema["SplitsForm"],
    }
    return "\n\n".join(
        f"## {title}\n\n{part['description']}\n\n{_properties(part)}"
        for title, part in parts.items()
    )


def _properties(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        (
            f"`{name}`",
            _type(spec),
            "required" if name in required else _shown(spec.get("default")),
            spec.get("description", ""),
        )
        for name, spec in schema["properties"].items()
    ]
    return _table(("field", "type", "default", "meaning"), rows)


def _type(spec: Mapping[str, Any]) -> str:
    if "anyOf" in spec:
        kinds = [_type(part) for part in spec["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in spec:
        return " or ".join(f"`{value}`" for value in spec["enum"])
    plain = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "array": "list",
    }
    return plain.get(spec.get("type", ""), "mapping") + _bounds(spec)


def _bounds(spec: Mapping[str, Any]) -> str:
    words = {
        "minimum": "≥",
        "exclusiveMinimum": ">",
        "maximum": "≤",
        "exclusiveMaximum": "<",
    }
    found = [f"{word} {spec[key]:g}" for key, word in words.items() if key in spec]
    return f" {', '.join(found)}" if found else ""


def judges() -> str:
    """Every judge that a study file can name."""
    from optimand.evaluation.judges.registry import JUDGES

    parts = []
    for name, (module, kind) in JUDGES.items():
        judge = getattr(import_module(f"optimand.evaluation.judges.{module}"), kind)
        rows = [
            (f"`{'model' if f.name == 'client' else f.name}`", _default(f))
            for f in fields(judge)
            if f.init and f.name not in ("desk", "sleep", "name")
        ]
        table = f"\n\n{_table(('option', 'default'), rows)}" if rows else ""
        parts.append(f"### `{name}`\n\n{inspect.getdoc(judge)}{table}")
    return "\n\n".join(parts)


def parsers() -> str:
    """The parsers with their options, and their own description."""
    from optimand.evaluation.parsers import PARSERS, parser_from

    rows = [
        (f"`{name}`", ", ".join(map(_option, inspect.signature(make).parameters.values())))
        for name, make in PARSERS.items()
    ]
    return f"{_table(('parser', 'options'), rows)}\n\n{inspect.getdoc(parser_from)}"


def _option(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is inspect.Parameter.empty:
        return f"`{parameter.name}` (required)"
    return f"`{parameter.name}`" + (f" (`{default}`)" if default is not None else "")


def _default(field: Any) -> str:
    if field.default is MISSING and field.default_factory is MISSING:
        return "required"
    return _shown(None if field.default is MISSING else field.default)


def _shown(value: Any) -> str:
    if value is None or value is False or value in ("", [], {}):
        return ""
    return "`yes`" if value is True else f"`{value}`"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


_MAKERS = {
    "commands": commands,
    "study_fields": study_fields,
    "improve_fields": improve_fields,
    "judges": judges,
    "parsers": parsers,
}
