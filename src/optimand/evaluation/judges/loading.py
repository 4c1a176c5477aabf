"""The user's own functions: found by `module:function`, and told apart by their source."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from optimand.core.errors import InputError
from optimand.core.functions import describe_function
from optimand.core.keys import content_hash
from optimand.core.usercode import CRASHES, said, shown

__all__ = ["function_id", "function_path", "load_function"]

_PREFIX = re.compile(r"^_study_[0-9a-f]{8}_")
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def load_function(name: str, folder: Path | None = None) -> Callable[..., Any]:
    """The function that `module:function` names, from `folder` first, then from what is installed.

    This imports, and so runs, the named module: the user's own code, with the user's rights.
    Raises InputError if the module or the function is not there or fails to import.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{shown(name)} does not name a function. Write module:function.")
    module_name, _, function_name = name.partition(":")
    try:
        module = _module(module_name, folder)
    except CRASHES as error:  # also a script that ends itself when it is imported
        what = f"importing module {shown(module_name)}"
        raise InputError(f"{what} failed with {said(error)}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        where = getattr(module, "__file__", module_name)
        raise InputError(f"{where} has no function {shown(function_name)}.")
    return function  # type: ignore[no-any-return]


def _module(name: str, folder: Path | None) -> ModuleType:
    file = folder / (name.replace(".", "/") + ".py") if folder else None
    if folder is None or file is None or not file.is_file():
        return importlib.import_module(name)
    # Studies in two folders may each have a `judge.py`, and neither may hide an installed module.
    unique = f"_study_{content_hash(str(file.resolve()))[:8]}_{name}"
    spec = importlib.util.spec_from_file_location(unique, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {file}")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__study_name__"] = name
    module.__dict__["__source_hash__"] = content_hash(file.read_text("utf-8"))
    sys.modules[unique] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[unique]
        raise
    finally:
        sys.path.remove(str(folder))
    return module


def function_id(function: Callable[..., Any]) -> str:
    """A text that changes with the function, or with the whole file of a study's module.

    It is the same wherever the study's folder lies.
    """
    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    module = sys.modules.get(getattr(inner, "__module__", None) or "")
    source = getattr(module, "__source_hash__", "")
    return describe_function(function) + source[:12]


def function_path(function: Callable[..., Any]) -> str:
    """`module:function`, from which `load_function` finds it again.

    Raises InputError for a lambda, a method or a function defined inside another.
    """
    name = getattr(function, "__qualname__", "")
    if not name.isidentifier():
        raise InputError(
            f"{name or function!r} cannot be named in a file. "
            "Use a function at the top of a module."
        )
    return f"{_PREFIX.sub('', function.__module__)}:{name}"
