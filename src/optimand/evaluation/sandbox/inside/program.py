"""A candidate's source as a module, and how a function or a method of it is found."""

from __future__ import annotations

import inspect
import linecache
import random
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

__all__ = ["FILE", "Program", "told"]

FILE = "program.py"
LONGEST = 4000
"""Characters of a traceback that are told."""


class Program:
    """The module; raises whatever its source does."""

    def __init__(self, source: str, seed: int) -> None:
        _seeded(seed)
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        self._module = types.ModuleType("program")
        sys.modules["program"] = self._module
        exec(compile(source, FILE, "exec"), self._module.__dict__)  # noqa: S102
        self._known: dict[str, Callable[..., Any]] = {}

    def call(self, name: str, args: list[Any]) -> Any:
        """Call the function `name`, or the method of that name of the one class that has it."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name](*args)

    def _find(self, name: str) -> Callable[..., Any]:
        scope = self._module.__dict__
        if callable(scope.get(name)):
            found: Callable[..., Any] = scope[name]
            return found
        having = [
            one
            for one in scope.values()
            if inspect.isclass(one)
            and one.__module__ == "program"
            and callable(getattr(one, name, None))
        ]
        having = [h for h in having if not any(issubclass(o, h) for o in having if o is not h)]
        if len(having) > 1:
            having = [h for h in having if h.__name__.lower().endswith("policy")] or having
        if len(having) != 1:
            many = "no function and no class" if not having else f"{len(having)} classes"
            raise LookupError(f"the program has {many} with {name!r}: it must have exactly one")
        bound: Callable[..., Any] = getattr(having[0](), name)
        return bound


def _seeded(seed: int) -> None:
    """The same draws in every run, also where a program makes a generator without a seed."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    numpy.random.seed(seed % 2**32)
    make, made = numpy.random.default_rng, iter(range(1, 2**31))

    def default_rng(given: Any = None) -> Any:
        return make([seed % 2**32, next(made)] if given is None else given)

    numpy.random.default_rng = default_rng


def told(error: BaseException) -> str:
    """The traceback, without the lines that are not the program's; shortened in the middle."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((i for i, f in enumerate(frames) if f.filename == FILE), len(frames))
    lines = [
        f'  File "{f.filename}", line {f.lineno}, in {f.name}\n    {f.line}\n'
        for f in frames[first:]
    ]
    head = "Traceback (most recent call last):\n" if lines else ""
    text = head + "".join(lines) + "".join(traceback.format_exception_only(error))
    return text if len(text) <= LONGEST else f"{text[:1000]}\n[...]\n{text[-LONGEST + 1000 :]}"
