"""Programs as parts of an artifact: what can be said of a source without running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

__all__ = ["program_complaints"]


def program_complaints(source: str, name: str, arguments: int) -> list[str]:
    """What keeps `source` from being a program with a function, or one class with a method, `name`.

    `arguments`: how many it is called with, `self` not counted. Nothing is run; empty means that
    nothing wrong can be seen.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in a model's strings
            tree = ast.parse(source)
    except SyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        return [f"the code is no Python: {line}{error.msg}"]
    except (ValueError, RecursionError, MemoryError) as error:
        return [f"the code is no Python: {error}"]
    found = [node for node in _functions(tree.body) if node.name == name]
    if found:
        return _arguments(found[-1], name, arguments)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = [m for c in classes for m in _functions(c.body) if m.name == name]
    if methods:
        return _arguments(methods[-1], name, arguments + 1)
    if _may_have(tree.body, classes, name):
        return []
    return [f"the code has no function {name!r}, and no class with a method of that name"]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(body: Sequence[ast.stmt]) -> list[Function]:
    return [node for node in body if isinstance(node, Function)]


def _may_have(body: Sequence[ast.stmt], classes: Sequence[ast.ClassDef], name: str) -> bool:
    """Whether `name` may come about otherwise: assigned, inherited, or made under a condition."""
    named = any(isinstance(n, ast.Name) and n.id == name for b in body for n in ast.walk(b))
    compound = any(isinstance(b, ast.If | ast.Try | ast.With | ast.For) for b in body)
    return named or compound or any(c.bases for c in classes)


def _arguments(node: Function, name: str, count: int) -> list[str]:
    if isinstance(node, ast.AsyncFunctionDef):
        return [f"{name} is async; it must be a plain function"]
    takes = node.args
    if any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list):
        count -= 1
    places = [*takes.posonlyargs, *takes.args]
    least = len(places) - len(takes.defaults)
    missing = [a for a, d in zip(takes.kwonlyargs, takes.kw_defaults, strict=True) if d is None]
    if missing or least > count or (len(places) < count and takes.vararg is None):
        return [f"line {node.lineno}: {name} is called with {count} arguments, and takes others"]
    return []
