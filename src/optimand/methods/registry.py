"""The register of methods: by name, with source, roles and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, get_args, get_origin, get_type_hints

from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Search
from optimand.core.usercode import shown
from optimand.memory.archive import Final

__all__ = ["Method", "all_methods", "chosen", "method", "named"]

Chosen = Callable[[Mapping[str, Any]], Final]
_FOUND: dict[str, Method] = {}
SIZES = ("minibatch", "width", "episodes", "beam", "sample", "batch", "shown")
"""Options that are sizes of something without which a search stands still."""


@dataclass(frozen=True)
class Method:
    """A published optimizer.

    `search(problem, **options)` yields proposals; its docstring says how it works. `source`: the
    paper. `roles`: models that it asks, by role. `final`: which candidates go into the certificate:
    those with the highest mean on "val" or "train", or the one kept "last"; or a function that says
    so of the options. The start is run on "val" first where that chooses. `optional`: roles of
    models that it uses where they are given. `for_texts`: of these, those that it must have where a
    text may change.
    """

    name: str
    source: str
    roles: tuple[str, ...]
    search: Callable[..., Search]
    final: Final | Chosen = "val"
    optional: tuple[str, ...] = ()
    for_texts: tuple[str, ...] = ()

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options and their defaults."""
        parameters = inspect.signature(self.search).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def result(self, options: Mapping[str, Any]) -> Final:
        """Which candidates go into the certificate with these options."""
        return self.final({**self.defaults, **options}) if callable(self.final) else self.final

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InputError for an option it does not have, or of the wrong type."""
        defaults, hints = self.defaults, get_type_hints(self.search)
        for name, value in options.items():
            if name not in defaults:
                have = ", ".join(defaults) or "none"
                what = f"method {self.name!r} has no option {shown(name)}"
                raise InputError(f"{what}. It has: {have}.")
            if wrong := _complaint(hints.get(name), value, least=int(name in SIZES)):
                raise InputError(f"method {self.name!r}: {name} is {shown(value)}; {wrong}")

    def try_out(self, problem: Problem, options: Mapping[str, Any]) -> None:
        """Raise InputError where the search refuses this problem; nothing is called."""
        search = self.search(problem, **options)
        try:
            next(search, None)
        except InputError:
            raise
        except Exception:  # it may need scores, which are not there yet
            return
        search.close()


def _complaint(kind: Any, value: Any, least: int) -> str:
    """What is wrong with an option's value, "" for nothing."""
    if get_origin(kind) is Literal:
        allowed = get_args(kind)
        return "" if value in allowed else f"use {', '.join(map(repr, allowed))}"
    if get_origin(kind) is Sequence:
        fine = isinstance(value, list | tuple) and all(isinstance(v, str) and v for v in value)
        return "" if fine else "it must be a list of texts"
    if kind is bool:
        return "" if isinstance(value, bool) else "it must be true or false"
    if kind not in (int, float):
        return ""
    number = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    return "" if number and least <= value < 1e9 else f"it must be a number from {least} to 1e9"


def method(
    name: str,
    *,
    source: str,
    roles: tuple[str, ...] = ("proposer",),
    final: Final | Chosen = "val",
    optional: tuple[str, ...] = (),
    for_texts: tuple[str, ...] = (),
) -> Callable[[Callable[..., Search]], Callable[..., Search]]:
    """Register a search under `name`; see Method."""

    def register(search: Callable[..., Search]) -> Callable[..., Search]:
        _FOUND[name] = Method(name, source, roles, search, final, optional, for_texts)
        return search

    return register


def all_methods() -> dict[str, Method]:
    """Every method by name, in alphabetical order."""
    package = import_module("optimand.methods")
    for module in iter_modules(package.__path__):
        if module.name != "registry":
            import_module(f"optimand.methods.{module.name}")
    return dict(sorted(_FOUND.items()))


def named(name: Any) -> Method:
    """The method of that name. Raises InputError, with the nearest, for an unknown one."""
    methods = all_methods()
    if not isinstance(name, str) or name not in methods:
        close = get_close_matches(name if isinstance(name, str) else "", methods, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"no method {shown(name)}; there is {', '.join(methods)}.{hint}")
    return methods[name]


def chosen(given: Any) -> tuple[Method, dict[str, Any]]:
    """The method and its options from a name, or a mapping with `type` and the options.

    Raises InputError for anything else, and for what the method does not take.
    """
    if not isinstance(given, str | Mapping):
        raise InputError(
            f"method is {shown(given)}. It must be a method's name, or a mapping with its type and "
            "options."
        )
    options: dict[str, Any] = {"type": given} if isinstance(given, str) else dict(given)
    found = named(options.pop("type", None))
    found.check(options)
    return found, options
