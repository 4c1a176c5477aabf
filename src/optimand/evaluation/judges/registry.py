"""Judges by name: from a mapping to a judge and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from optimand.core.errors import InputError
from optimand.core.model import Client, Reply, Request
from optimand.core.task import Judge
from optimand.core.usercode import shown
from optimand.evaluation.judges.desk import Desk, MemoryDesk
from optimand.evaluation.judges.loading import function_path, load_function
from optimand.evaluation.judges.options import fits

__all__ = ["JUDGES", "check_judge", "judge_from", "judge_kind", "judge_to"]

JUDGES: Mapping[str, tuple[str, str]] = {
    "exact": ("exact", "Exact"),
    "contains": ("contains", "Contains"),
    "numeric": ("numeric", "Numeric"),
    "regex": ("regex", "Regex"),
    "json_field": ("json_field", "JsonField"),
    "function": ("function", "Function"),
    "pair_function": ("function", "PairFunction"),
    "margin": ("margin", "Margin"),
    "rubric": ("rubric", "Rubric"),
    "pairwise": ("pairwise", "Pairwise"),
    "human": ("human", "Human"),
    "human_score": ("human", "HumanScore"),
}
"""type in a mapping: module and class, imported when asked for."""

_NOT_OPTIONS = ("desk", "sleep")


def _class(mapping: Any) -> tuple[str, type[Any]]:
    if not isinstance(mapping, Mapping):
        raise InputError(
            f"the judge is {shown(mapping)}. It must be a mapping, such as {{'type': 'exact'}}."
        )
    kind = mapping.get("type")
    if not isinstance(kind, str) or kind not in JUDGES:
        have = ", ".join(JUDGES)
        raise InputError(f"no judge {shown(kind)}. Known: {have}.{_hint(kind, JUDGES)}")
    module, name = JUDGES[kind]
    return kind, getattr(import_module(f"optimand.evaluation.judges.{module}"), name)


def judge_kind(mapping: Mapping[str, Any]) -> str:
    """Whether the judge that a checked mapping describes gives a "score" or judges a "pair"."""
    return str(_class(mapping)[1].__dataclass_fields__["kind"].default)


def _hint(name: object, known: Any) -> str:
    close = get_close_matches(name if isinstance(name, str) else "", list(known), 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _options(kind: type[Any]) -> dict[str, Field[Any]]:
    """Option name in a mapping -> field. A client is named by `model`."""
    return {
        "model" if f.name == "client" else f.name: f
        for f in fields(kind)
        if f.init and f.name not in _NOT_OPTIONS
    }


def check_judge(mapping: Mapping[str, Any], models: Any = None) -> None:
    """Checks a mapping without making clients or importing the user's code.

    `models` are the known clients' names, if they are known. Raises InputError for an unknown type
    or option, a missing or mistyped option, one out of range, or an unknown model.
    """
    _tried(mapping, models)


class _NotMade:
    """Stands for a client while a judge's options are checked; it is never asked."""

    name = ""
    width = 1

    async def complete(self, request: Request) -> Reply:  # noqa: ARG002
        return Reply("", status="unknown", error="this client is not made yet")

    async def close(self) -> None:
        pass


def _not_loaded(*_: Any) -> float:
    """Stands for a user's function while a judge's options are checked; it is never asked."""
    raise InputError("this function is not loaded yet")


def _tried(mapping: Mapping[str, Any], models: Any) -> Any:
    """A judge made of what a mapping says, with stand-ins for clients, functions and a desk."""
    kind, judge = _class(mapping)
    _check_names(mapping, kind, judge, models)
    options = {name: value for name, value in mapping.items() if name != "type"}
    if "model" in options:
        del options["model"]
        options["client"] = _NotMade()
    if "function" in options:
        options["function"] = _not_loaded
    if "score" in options:
        options["score"] = _tried(_nested(options["score"]), models)
    if any(f.name == "desk" for f in fields(judge)):
        options["desk"] = MemoryDesk()
    return judge(**options)


def _check_names(mapping: Mapping[str, Any], kind: str, judge: type[Any], models: Any) -> None:
    known, hints = _options(judge), get_type_hints(judge)
    for name, value in mapping.items():
        if name == "type":
            continue
        if name not in known:
            have = ", ".join(known)
            raise InputError(
                f"judge {kind!r} has no option {shown(name)}. It has: {have}.{_hint(name, known)}"
            )
        if name == "model":
            _known_model(value, models)
        elif name not in ("function", "score") and not fits(value, hints[known[name].name]):
            raise InputError(f"judge {kind!r}: {name} is {shown(value)}, which is not of its type.")
    for name, f in known.items():
        if name not in mapping and f.default is MISSING and f.default_factory is MISSING:
            raise InputError(f"judge {kind!r} needs the option {name!r}.")


def _nested(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        return {"type": value}
    if not isinstance(value, Mapping):
        raise InputError(f"score is {shown(value)}. It must be a judge: its name, or a mapping.")
    return value


def _known_model(name: Any, models: Any) -> None:
    if models is not None and (not isinstance(name, str) or name not in models):
        have = ", ".join(models) or "none"
        raise InputError(
            f"the judge's model {shown(name)} is unknown. Known: {have}.{_hint(name, models)}"
        )


def judge_from(
    mapping: Mapping[str, Any],
    *,
    clients: Mapping[str, Client] | None = None,
    desk: Desk | None = None,
    folder: Path | None = None,
) -> Judge:
    """The judge that a mapping with `type` and options describes.

    `model` names one of `clients`; `score` of a margin is another judge; `function` is a function
    or `module:function`, looked for in `folder` first (its import runs the user's own code).
    `desk` is where a human judge asks. Raises InputError as `check_judge` does.
    """
    clients = clients or {}
    check_judge(mapping, clients)
    kind, judge = _class(mapping)
    options = {name: value for name, value in mapping.items() if name != "type"}
    if "model" in options:
        options["client"] = clients[options.pop("model")]
    if "function" in options:
        options["function"] = _function(options["function"], folder)
    if "score" in options:
        nested = _nested(options["score"])
        options["score"] = judge_from(nested, clients=clients, desk=desk, folder=folder)
    if any(f.name == "desk" for f in fields(judge)):
        if desk is None:
            raise InputError(f"judge {kind!r} needs a desk: a place where questions wait.")
        options["desk"] = desk
    return judge(**options)  # type: ignore[no-any-return]


def _function(value: Any, folder: Path | None) -> Callable[..., Any]:
    if callable(value):
        return value  # type: ignore[no-any-return]
    if not isinstance(value, str):
        raise InputError(f"function is {shown(value)}. Write module:function.")
    return load_function(value, folder)


def judge_to(judge: Any, clients: Mapping[str, Client] | None = None) -> dict[str, Any]:
    """The mapping of which `judge_from` makes an equal judge, without options at their default.

    A client is written under its key in `clients`, or else by its name. Raises InputError for a
    judge of another class or a function that no file can name.
    """
    names = {cls: kind for kind, (_, cls) in JUDGES.items()}
    kind = names.get(type(judge).__name__)
    if kind is None or not type(judge).__module__.startswith("optimand.evaluation.judges."):
        raise InputError(f"{type(judge).__name__} is not a judge that a file can name.")
    mapping: dict[str, Any] = {"type": kind}
    for name, f in _options(type(judge)).items():
        value = getattr(judge, f.name)
        if f.default is MISSING or value != f.default:
            mapping[name] = _plain(value, clients or {})
    return mapping


def _plain(value: Any, clients: Mapping[str, Client]) -> Any:
    if hasattr(value, "complete"):
        return next((key for key, client in clients.items() if client is value), value.name)
    if hasattr(value, "fingerprint"):
        return judge_to(value, clients)
    if callable(value):
        return function_path(value)
    return list(value) if isinstance(value, tuple) else value
