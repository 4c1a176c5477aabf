"""Mark functions and parameters of a program, and see which calls led from them to its output."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn, ParamSpec

from optimand.artifacts.space import Choice, Number, Setting, setting_from
from optimand.core.errors import InputError
from optimand.core.usercode import CRASHES, shown

__all__ = ["Node", "Parameter", "Tracer", "active", "parameter", "plain", "traced"]

P = ParamSpec("P")
MOST = 1_000_000_000.0
"""Numbers without a space of their own stay within this, either way."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A named value that a search may change: a text, or with `setting` a typed value.

    Pass it to a @traced function as it is; `value` is what the running candidate has in its place.
    """

    name: str
    start: Any
    doc: str = ""
    setting: Setting | None = None

    @property
    def value(self) -> Any:
        """The running candidate's value; outside a run the one to start from.

        Read within a traced function, it counts as an argument of that call.
        """
        tracer = _TRACER.get()
        if tracer is None:
            return self.start
        call = _CALL.get()
        if call is not None:
            call.args.setdefault(self.name, tracer.parameter(self))
        return tracer.values.get(self.name, self.start)


def parameter(name: str, value: Any, *, doc: str = "", space: Any = None) -> Parameter:
    """A parameter of a program, with the value to start from: a text, a number or a bool.

    `space` is a list of options, or {low, high, whole}; without one a number may be any up to a
    billion, whole where `value` is. `doc` is told to the proposer. Raises InputError for anything
    else, and for functions: code that a model writes would need a sandbox to run in.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise InputError(f"a parameter's name is {shown(name)}. It must be a plain word.")
    if callable(value):
        raise InputError(
            f"parameter {name!r} is {shown(value)}. Code cannot be a parameter: what a model "
            "writes would run in this process, and there is no sandbox. Use a text or a number."
        )
    if space is None and isinstance(value, str):
        return Parameter(name, value, doc)
    if not isinstance(value, str | bool | int | float):
        raise InputError(f"parameter {name!r} is {shown(value)}. It must be a text or a number.")
    setting = _setting(name, value) if space is None else setting_from(name, space)
    clean, complaint = setting.cast(value)
    if complaint:
        raise InputError(f"parameter {name!r}: {complaint}")
    return Parameter(name, clean, doc, setting)


def _setting(name: str, value: Any) -> Setting:
    if isinstance(value, bool):
        return Choice((False, True))
    if not -MOST <= value <= MOST:
        raise InputError(
            f"parameter {name!r} is {value}: give it a space, such as {{'low': 0, 'high': 1}}"
        )
    return Number(-MOST, MOST, isinstance(value, int))


@dataclass(eq=False)
class Node:
    """A value in a run of a program: a parameter, or what a traced function returned.

    Hand it to other traced functions as it is, also within lists and mappings; `node[key]` is a
    node again. In plain code take `.value`, from where on nothing is traced.
    """

    name: str
    value: Any
    function: Any = None
    args: dict[str, Any] = field(default_factory=dict)
    failed: bool = False

    def __getitem__(self, key: Any) -> Node:
        name = f"{self.name}[{shown(plain(key))[:30]}]"
        return Node(name, self.value[plain(key)], "item", {"of": self, "key": key})

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError(
            f"{self.name} is a traced value: hand it to a @traced function, or take its .value"
        )

    # Each of these would lose the trace without a word, or compare the node and not its value.
    __bool__ = __iter__ = __len__ = __contains__ = __str__ = __format__ = _refuse
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = _refuse
    __hash__ = object.__hash__


class Tracer:
    """What happened in one run of a program with the given values of its parameters."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.result: Any = None
        self._parameters: dict[str, Node] = {}
        self._counts: dict[str, int] = {}

    def parameter(self, one: Parameter) -> Node:
        """The parameter's node."""
        value = self.values.get(one.name, one.start)
        return self._parameters.setdefault(one.name, Node(one.name, value, one))

    def finish(self, output: Any) -> None:
        """Take in what the program returned; until then the result is the last call that failed."""
        self.result = _noded(self, output)

    def name(self, function: str) -> str:
        """A name for a call of the function, such as route_2 for the second."""
        count = self._counts[function] = self._counts.get(function, 0) + 1
        return f"{function}_{count}"


_TRACER: ContextVar[Tracer | None] = ContextVar("tracer", default=None)
_CALL: ContextVar[Node | None] = ContextVar("call", default=None)


@contextmanager
def active(tracer: Tracer) -> Iterator[None]:
    """Within, traced functions are recorded by `tracer`."""
    token, call = _TRACER.set(tracer), _CALL.set(None)
    try:
        yield
    finally:
        _CALL.reset(call)
        _TRACER.reset(token)


def traced(function: Callable[P, Any]) -> Callable[P, Any]:
    """Record calls of `function`, sync or async, while a ProgramTask runs.

    It receives plain values, whatever it is handed, and what it returns is a Node. Outside a run,
    and within another traced function, it is the plain function.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        tracer = _TRACER.get()
        if tracer is None or _CALL.get() is not None:
            return function(*plain(args), **plain(kwargs))
        named = {n: _noded(tracer, v) for n, v in _named(function, args, kwargs).items()}
        node = Node(tracer.name(function.__name__), None, function, named)
        values, options = plain(args), plain(kwargs)
        with _calling(tracer, node):
            node.value = function(*values, **options)
        return _awaited(tracer, node) if inspect.isawaitable(node.value) else node

    return call


async def _awaited(tracer: Tracer, node: Node) -> Node:
    with _calling(tracer, node):
        node.value = await node.value
    return node


@contextmanager
def _calling(tracer: Tracer, node: Node) -> Iterator[None]:
    token = _CALL.set(node)
    try:
        yield
    except CRASHES as error:
        node.value, node.failed, tracer.result = error, True, node
        raise
    finally:
        _CALL.reset(token)


def _named(function: Any, args: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the function's own names; as numbers where it has no signature."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {**{str(i): value for i, value in enumerate(args)}, **kwargs}


def plain(value: Any) -> Any:
    """The value without nodes and parameters, which lists, tuples and mappings may hold."""
    return _mapped(value, lambda one: one.value)


def _noded(tracer: Tracer, value: Any) -> Any:
    """The value with the parameters' nodes in their place."""
    return _mapped(value, lambda one: one if isinstance(one, Node) else tracer.parameter(one))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, Node | Parameter):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_mapped(item, change) for item in value)
    if type(value) is dict:
        return {key: _mapped(item, change) for key, item in value.items()}
    return value
