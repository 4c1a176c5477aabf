"""The register of methods: by name, with source, roles and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_type_hints

from optimand.core.errors import InputError
from optimand.core.proposal import Search
from optimand.core.usercode import shown

__all__ = ["Method", "all_methods", "method", "named"]

_FOUND: dict[str, Method] = {}


@dataclass(frozen=True)
class Method:
    """A published optimizer.

    `search(problem, **options)` yields proposals; its docstring says how it works. `source`: the
    paper. `roles`: models that it asks, by role.
    """

    name: str
    source: str
    roles: tuple[str, ...]
    search: Callable[..., Search]

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options and their defaults."""
        parameters = inspect.signature(self.search).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InputError for an option it does not have, or of the wrong type."""
        defaults, hints = self.defaults, get_type_hints(self.search)
        for name, value in options.items():
            if name not in defaults:
                have = ", ".join(defaults) or "none"
                raise InputError(f"method {self.name!r} has no option {name!r}. It has: {have}.")
            kind = hints.get(name)
            if kind in (int, float) and (
                isinstance(value, bool)
                or not isinstance(value, int if kind is int else int | float)
                or not 0 <= value < 1e9
            ):
                raise InputError(
                    f"method {self.name!r}: {name} is {shown(value)}; it must be a number from 0 up"
                )


def method(
    name: str, *, source: str, roles: tuple[str, ...] = ("proposer",)
) -> Callable[[Callable[..., Search]], Callable[..., Search]]:
    """Register a search under `name`; see Method."""

    def register(search: Callable[..., Search]) -> Callable[..., Search]:
        _FOUND[name] = Method(name, source, roles, search)
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
        close = get_close_matches(str(name), methods, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"no method {shown(name)}; there is {', '.join(methods)}.{hint}")
    return methods[name]
