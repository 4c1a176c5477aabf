"""The part of a traced run that led from its parameters to its output, as plain JSON."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from optimand.artifacts.tracing import Node, Parameter, plain
from optimand.core.usercode import CRASHES

__all__ = ["subgraph"]

LONG = 300
"""Characters of one value that are kept."""
CALLS = 100
"""Calls that are kept, the ones next to the output."""


def subgraph(output: Any) -> dict[str, Any]:
    """The minimal subgraph from `output`, which may hold nodes, back to the parameters.

    {output, calls, parameters, inputs, docs, omitted}. `calls`, in the order of the program, are
    those that depend on a parameter and that the output depends on: {name, function, args, value},
    where `args` maps to names; `inputs` are the values that they were given besides. What is on no
    path from a parameter to the output is left out (Trace, arXiv:2406.16218, Section 3).
    """
    order = list(_ancestors(output))
    varying = _varying(order)
    calls = [node for node in order if node in varying and not isinstance(node.function, Parameter)]
    kept = calls[-CALLS:]
    found: dict[str, Any] = {"output": _ref(output), "omitted": len(calls) - len(kept)}
    found |= {"calls": [], "parameters": {}, "inputs": {}, "docs": {}}
    for node in kept:
        args = {name: _argument(found, node, name, arg, varying) for name, arg in node.args.items()}
        call = {"name": node.name, "function": _function(node), "args": args}
        found["calls"].append({**call, "value": _short(node.value), "failed": node.failed})
        if callable(node.function):
            found["docs"][_function(node)] = _doc(node.function)
    return found


def _ancestors(output: Any) -> Iterator[Node]:
    """Every node that the output depends on, each after those it depends on."""
    done: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(node, False) for node in _nodes(output)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in done:
            done.add(node)
            stack += [(node, True), *((one, False) for one in reversed(_nodes(node.args)))]


def _varying(order: list[Node]) -> set[Node]:
    """The nodes of `order` that are parameters or depend on one."""
    found: set[Node] = set()
    for node in order:
        if isinstance(node.function, Parameter) or any(n in found for n in _nodes(node.args)):
            found.add(node)
    return found


def _nodes(value: Any) -> list[Node]:
    if isinstance(value, Node):
        return [value]
    if type(value) in (list, tuple):
        return [node for item in value for node in _nodes(item)]
    if type(value) is dict:
        return [node for item in value.values() for node in _nodes(item)]
    return []


def _argument(found: dict[str, Any], node: Node, name: str, value: Any, varying: set[Node]) -> Any:
    """The names that an argument goes by; what depends on no parameter becomes an input."""
    nodes = _nodes(value)
    for one in nodes:
        if isinstance(one.function, Parameter):
            found["parameters"][one.name] = _short(one.value)
            if one.function.doc:
                found["docs"][one.name] = one.function.doc
        elif one not in varying:
            found["inputs"][one.name] = _short(one.value)
    if nodes:
        return _ref(value)
    label = f"{node.name}.{name}"
    found["inputs"][label] = _short(value)
    return label


def _ref(value: Any) -> str:
    nodes = _nodes(value)
    names = ", ".join(dict.fromkeys(node.name for node in nodes))
    return names if isinstance(value, Node) or not nodes else f"[{names}]"


def _function(node: Node) -> str:
    return getattr(node.function, "__name__", str(node.function))


def _doc(function: Any) -> str:
    try:
        signature = str(inspect.signature(function))
    except (TypeError, ValueError):
        signature = "(...)"
    return f"{signature}: {inspect.getdoc(function) or 'no documentation'}"[: 2 * LONG]


def _short(value: Any) -> str:
    """The value as a text of at most LONG characters, also of one that cannot say itself."""
    value = plain(value)
    try:
        text = repr(value)
    except CRASHES:
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONG else f"{text[:LONG]}[...]"
