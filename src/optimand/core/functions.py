"""What tells one function from another: its code, and the values it carries along."""

from __future__ import annotations

import copyreg
import functools
import hashlib
import inspect
import linecache
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import (
    BuiltinMethodType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

from optimand.core.classes import (
    attributes,
    bookkeeping,
    module_of,
    of_optimand,
    of_user,
    type_name,
)

__all__ = ["describe_function", "describe_value"]

DEPTH = 50
"""How deep values may be nested; what lies deeper counts by its type's name."""
_SCALARS = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes)
_REDUCED = (
    *("array", "datetime", "decimal", "fractions", "operator", "_operator", "pathlib", "re"),
    *("uuid", "zoneinfo"),
)
"""Modules whose values say by `__reduce_ex__` what they are made of."""


def describe_function(function: Any) -> str:
    """A text that changes when the function does, for use in cache keys.

    It covers the source (of a lambda, and where there is no source, the compiled code), default
    values, attributes and what the function carries along: values in its closure, a partial's
    arguments, and of a method or a callable object the class and the instance's state. Plain
    values, containers, arrays, dataclasses, other functions, and instances of classes outside
    installed packages are looked into. What has a method `fingerprint()` counts by its answer.

    Not seen: changes inside anything else that is carried along (a model, a client, an open file,
    which count by their type's name), in global variables, and in functions called by name. The
    text is the same in every process; the state is the one at the time of the call.
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    subject = function
    while isinstance(subject, functools.partial):
        subject = subject.func
    if isinstance(subject, MethodType):
        subject = subject.__self__
    description = _Description(subject)
    description.add(function, 0)
    return f"{module_of(function)}.{name}:{description.digest()[:12]}"


def describe_value(value: Any) -> str:
    """32 hexadecimal digits over all of `value` that `describe_function` would see."""
    description = _Description()
    description.add(value, 0)
    return description.digest()


class _Description:
    """A hash that values are written to, each with its type and length."""

    def __init__(self, subject: Any = None) -> None:
        self._subject = subject  # its state counts, whoever wrote its class
        self._hash = hashlib.blake2b(digest_size=16)
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no id is given twice

    def digest(self) -> str:
        return self._hash.hexdigest()

    def write(self, *texts: str) -> None:
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data) + data)

    def add(self, value: Any, depth: int) -> None:
        scalar = _scalar(value)
        if scalar is not None:
            self.write(scalar)
        elif depth > DEPTH:
            self.write("deep", type_name(type(value)))
        elif isinstance(value, tuple) and type(value).__new__ is tuple.__new__:
            self._items(value, depth)  # never by number: equal constants may be one object or two
        elif isinstance(value, set | frozenset):
            self.write("set", *sorted(_member(item) for item in value))
        elif id(value) in self._seen:
            self.write("again", str(self._seen[id(value)]))
        else:
            self._seen[id(value)] = len(self._seen)
            self._kept.append(value)
            self._complex(value, depth + 1)

    def _complex(self, value: Any, depth: int) -> None:
        for kind, add in _KINDS:
            if isinstance(value, kind):
                add(self, value, depth)
                return
        self._instance(value, depth)

    def _items(self, value: Any, depth: int) -> None:
        self.write(type_name(type(value)), str(len(value)))
        for item in value:
            self.add(item, depth + 1)
        self._state(value, depth)

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> None:
        self.write(type_name(type(value)), str(len(value)))
        for text, item in sorted(
            ((_member(key), item) for key, item in value.items()), key=lambda pair: pair[0]
        ):
            self.write(text)
            self.add(item, depth + 1)
        self._state(value, depth)

    def _function(self, function: FunctionType, depth: int) -> None:
        if of_optimand(module_of(function)):  # ours: a new version must not be another study
            self.write("own", module_of(function), function.__qualname__)
            return
        # The line of a lambda may hold others, and what has nothing to do with it.
        source = "" if function.__code__.co_name == "<lambda>" else _source(function)
        self.write("function", source)
        if not source:
            self._code(function.__code__, depth)
        self.add(function.__defaults__, depth)
        self.add(function.__kwdefaults__, depth)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents, depth)
            except ValueError:
                self.write("empty cell")
        self._mapping({k: v for k, v in vars(function).items() if k != "__wrapped__"}, depth)

    def _code(self, code: CodeType, depth: int) -> None:
        self.write("code", code.co_code.hex(), code.co_exceptiontable.hex())
        self.write(*code.co_names, "/", *code.co_varnames, "/", *code.co_freevars)
        self.write(str((code.co_argcount, code.co_kwonlyargcount, code.co_flags)))
        self.add(code.co_consts, depth)

    def _method(self, method: Any, depth: int) -> None:
        self.write("method", method.__name__)
        self.add(getattr(method, "__func__", None), depth)
        self.add(method.__self__, depth)

    def _partial(self, value: functools.partial[Any], depth: int) -> None:
        self.write("partial")
        for part in (value.func, value.args, value.keywords):
            self.add(part, depth)
        self._mapping(vars(value), depth)

    def _wrapper(self, value: Any, depth: int) -> None:
        """A staticmethod, classmethod or property: the functions inside."""
        self.write(type(value).__name__)
        for name in ("__func__", "fget", "fset", "fdel"):
            self.add(getattr(value, name, None), depth)

    def _class(self, cls: type, depth: int) -> None:
        self.write("class", type_name(cls))
        for base in cls.__mro__ if of_user(cls) else ():
            if not of_user(base):
                self.write(type_name(base))
                continue
            self.write(base.__qualname__)
            for name, value in sorted(vars(base).items()):
                if not bookkeeping(name, value):
                    self.write(name)
                    self.add(value, depth + 1)

    def _instance(self, value: Any, depth: int) -> None:
        cls = type(value)
        fingerprint = _fingerprint(value)
        if fingerprint is not None:
            self.write("named", type_name(cls), fingerprint)
        elif _is_array(value):
            self._array(value, depth)
        elif str(cls.__module__).partition(".")[0] in _REDUCED:
            self._reduced(value, depth)
        else:
            plain = next((kind for kind in _PLAIN if isinstance(value, kind)), None)
            self.write(type_name(cls), plain.__repr__(value) if plain else "")
            self._state(value, depth)

    def _reduced(self, value: Any, depth: int) -> None:
        self.write(type_name(type(value)))
        special = copyreg.dispatch_table.get(type(value))
        try:
            made_of = special(value) if special else value.__reduce_ex__(4)
        except TypeError:
            return  # a module's other things, such as iterators
        self.add(made_of[1:3], depth)

    def _array(self, array: Any, depth: int) -> None:
        self.write("array", str(array.dtype), str(array.shape))
        if array.dtype.hasobject:
            self.add(array.tolist(), depth)
        else:
            self._hash.update(array.tobytes())

    def _state(self, value: Any, depth: int) -> None:
        """The class and the attributes, where these are the user's own."""
        if of_user(type(value)) or value is self._subject:
            self.add(type(value), depth)
            found = dict(attributes(value))
        elif is_dataclass(value):
            found = {f.name: getattr(value, f.name, None) for f in fields(value) if f.compare}
        else:
            wrapped = getattr(value, "__wrapped__", None)  # functools.lru_cache
            found = {} if wrapped is None else {"__wrapped__": wrapped}
        for name, item in sorted(found.items()):
            self.write(name)
            self.add(item, depth + 1)


_KINDS: tuple[tuple[Any, Callable[[_Description, Any, int], None]], ...] = (
    (FunctionType, _Description._function),
    (MethodType, _Description._method),
    (functools.partial, _Description._partial),
    (type, _Description._class),
    (list | tuple | deque, _Description._items),
    (dict | MappingProxyType, _Description._mapping),
    (range | slice | bytearray, _Description._reduced),
    (CodeType, _Description._code),
    (staticmethod | classmethod | property, _Description._wrapper),
    (ModuleType, lambda self, module, _: self.write("module", module.__name__)),
    (BuiltinMethodType | MethodWrapperType, _Description._method),
)


def _scalar(value: Any) -> str | None:
    if type(value) not in _SCALARS:
        if isinstance(value, Enum):
            return f"{type_name(type(value))}.{value.name} {_member(value.value)}"
        return None
    # Whole numbers in base 16: Python refuses to write very long ones in base 10.
    return f"{type(value).__name__} {value:#x}" if type(value) is int else repr(value)


def _member(value: Any) -> str:
    """A key, or a member of a set, as a text to sort by: plain values, and tuples of these."""
    if isinstance(value, tuple):
        return f"({','.join(map(_member, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_member, value)))}}}"
    return _scalar(value) or type_name(type(value))


def _fingerprint(value: Any) -> str | None:
    say = getattr(type(value), "fingerprint", None)
    return str(value.fingerprint()) if callable(say) else None


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray | numpy.generic)


def _source(function: FunctionType) -> str:
    """The lines that define the function itself (not what it wraps), or "" where there are none."""
    code = function.__code__
    try:
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, function.__globals__)
        return "".join(inspect.getblock(lines[code.co_firstlineno - 1 :]))
    except Exception:  # whatever reading and splitting a file that has changed may raise
        return ""
