"""What is to be known of a class before its instances are looked into: its name, whose it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

__all__ = ["attributes", "bookkeeping", "module_of", "of_optimand", "of_user", "type_name"]

_HEAP = 1 << 9  # of a class: made by a class statement, not static in C


def module_of(value: Any) -> str:
    """The name of the module something was defined in; modules of studies say theirs."""
    name = getattr(value, "__module__", None) or ""
    return str(getattr(sys.modules.get(name), "__study_name__", name))


def type_name(cls: type) -> str:
    """The class's full name."""
    return f"{module_of(cls)}.{cls.__qualname__}"


def of_optimand(module: str) -> bool:
    """Whether a module is of this package."""
    return module.partition(".")[0] == "optimand"


def of_user(cls: type) -> bool:
    """Whether a class is the user's own: not Python's, not ours, not of an installed package."""
    name = str(cls.__module__)
    if not cls.__flags__ & _HEAP or of_optimand(name):
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    if not file:  # typed in, or run from a text (such a class may say "builtins")
        return name == "builtins" or name.partition(".")[0] not in sys.stdlib_module_names
    path = Path(file)
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return not installed and not path.is_relative_to(Path(os.__file__).parent)


def bookkeeping(name: str, value: Any) -> bool:
    """Whether a class's entry is Python's own, or made anew from others."""
    dunder = name.startswith("__") and name.endswith("__")
    code = isinstance(value, FunctionType | staticmethod | classmethod | property)
    return name == "_abc_impl" or (dunder and not code)


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of an instance's own attributes, those in slots too."""
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                full = f"_{cls.__name__.lstrip('_')}{name}" if _private(name) else name
                yield full, getattr(value, full, None)


def _private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")
