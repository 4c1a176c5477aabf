"""Checking a value against a small subset of JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from optimand.core.keys import canonical

__all__ = ["complaint", "is_strict"]

_DEPTH = 64
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, Mapping),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: (
        not isinstance(v, bool) and (isinstance(v, int) or (isinstance(v, float) and v % 1 == 0))
    ),
}


def complaint(value: Any, schema: Mapping[str, Any]) -> str:
    """What is wrong with `value`, named by its place; empty if it fits `schema`.

    Knows type, properties, required, additionalProperties, items, enum, const, anyOf, $ref into
    the schema itself, and the limits on numbers and lengths. Other keywords are not checked.
    """
    return next(_complaints(value, schema, "reply", schema, 0), "")


def _complaints(
    value: Any, schema: Any, place: str, root: Mapping[str, Any], depth: int
) -> Iterator[str]:
    if schema is True or not isinstance(schema, Mapping):
        if schema is False:
            yield f"{place} must not be there"
        return
    if depth > _DEPTH:
        yield f"{place} is nested too deeply"
        return
    if "$ref" in schema:
        yield from _complaints(value, _resolve(root, schema["$ref"]), place, root, depth + 1)
    if options := schema.get("anyOf"):
        tries = [next(_complaints(value, o, place, root, depth + 1), "") for o in options]
        if all(tries):
            yield tries[0]
    yield from _plain_complaints(value, schema, place)
    if isinstance(value, Mapping):
        yield from _object_complaints(value, schema, place, root, depth)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _complaints(item, schema["items"], f"{place}[{index}]", root, depth + 1)


def _resolve(root: Mapping[str, Any], reference: Any) -> Any:
    found: Any = root
    for part in str(reference).removeprefix("#").strip("/").split("/"):
        if part:
            found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _plain_complaints(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(_TYPES[name](value) for name in names if name in _TYPES):
            yield f"{place} must be of type {' or '.join(map(str, names))}"
            return
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if allowed is not None and not any(_same(value, item) for item in allowed):
        yield f"{place} must be one of {canonical(allowed)}"
    for number, what in _measures(value):
        yield from _limits(number, what, schema, place)


def _same(value: Any, item: Any) -> bool:
    return bool(value == item) and isinstance(value, bool) == isinstance(item, bool)


def _measures(value: Any) -> Iterator[tuple[float, tuple[str, str, str]]]:
    """The number that limits apply to, with the keywords of its limits and its unit."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value, ("minimum", "maximum", "")
    if isinstance(value, str):
        yield len(value), ("minLength", "maxLength", " characters long")
    if isinstance(value, list):
        yield len(value), ("minItems", "maxItems", " items long")


def _limits(
    number: float, what: tuple[str, str, str], schema: Mapping[str, Any], place: str
) -> Iterator[str]:
    low, high, unit = what
    if low in schema and number < schema[low]:
        yield f"{place} must be at least {schema[low]}{unit}"
    if high in schema and number > schema[high]:
        yield f"{place} must be at most {schema[high]}{unit}"
    if not unit:
        if "exclusiveMinimum" in schema and number <= schema["exclusiveMinimum"]:
            yield f"{place} must be above {schema['exclusiveMinimum']}"
        if "exclusiveMaximum" in schema and number >= schema["exclusiveMaximum"]:
            yield f"{place} must be below {schema['exclusiveMaximum']}"


def _object_complaints(
    value: Mapping[str, Any],
    schema: Mapping[str, Any],
    place: str,
    root: Mapping[str, Any],
    depth: int,
) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} needs a field {name!r}"
    properties = schema.get("properties", {})
    other = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            yield from _complaints(item, properties[name], f"{place}.{name}", root, depth + 1)
        elif other is False:
            yield f"{place} has a field {name!r}, which is not asked for"
        else:
            yield from _complaints(item, other, f"{place}.{name}", root, depth + 1)


def is_strict(schema: Any) -> bool:
    """Whether every object within `schema` lists all its fields as required and allows no other.

    Endpoints that promise to keep to a schema ask for this form.
    """
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", ())):
            return False
    return all(is_strict(item) for item in schema.values())
