"""Examples from a file or a list, with every fault named by its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_one_of, need_text
from optimand.core.keys import content_hash
from optimand.core.usercode import shown
from optimand.tasks.faults import Faults
from optimand.tasks.plain import plain_complaint

__all__ = [
    "Examples",
    "Source",
    "check_task",
    "examples_from_rows",
    "load_examples",
    "load_splits",
]

Source = str | PathLike[str] | Iterable[Any]
"""A path, or a list of examples: `Example`s, mappings, or plain inputs."""

_FIELDS = ("id", "input", "target", "tags")
_SPLITS = ("train", "val", "test", "all")


class Examples(tuple[Example, ...]):
    """Examples that know where they were read: `examples.jsonl line 17`."""

    places: Mapping[str, str]
    """From an example's id to its place."""


def load_examples(source: Source) -> Examples:
    """Examples from a JSONL, JSON, YAML, CSV or TSV file, or from a list.

    A mapping has `input` and may have `id`, `target` (the accepted answer, or a list of them) and
    `tags`; without `input`, all its other fields together are the input. Ids are made from the
    content if no example has one. In a table every cell is text, an empty `target` is none, and
    tags are separated by `;`. Raises InputError, naming place and way out, for broken files, wrong
    types, missing or repeated ids, and for no examples at all: all faults at once, or the first 10.
    """
    if isinstance(source, Examples):
        return source
    if isinstance(source, str | PathLike):
        return _from_file(Path(source))
    if isinstance(source, Mapping | bytes) or not isinstance(source, Iterable):
        raise InputError(f"examples are {shown(source)}. Give a list of examples, or a path.")
    rows = [(f"example {number}", row) for number, row in enumerate(source, 1)]
    if not rows:
        raise InputError("there are no examples. A task needs at least one.")
    return examples_from_rows(rows)


def load_splits(examples: Source | Mapping[str, Source]) -> dict[str, Examples]:
    """Examples by split: from a mapping of train, val, test or all, else all in one."""
    if not isinstance(examples, Mapping):
        return {"all": load_examples(examples)}
    unknown = [name for name in examples if name not in _SPLITS]
    if unknown or not examples:
        raise InputError(
            f"splits are {', '.join(map(repr, examples)) or 'missing'}. "
            f"Use names among {', '.join(_SPLITS)}. Give a list for examples without splits."
        )
    return {name: load_examples(source) for name, source in examples.items()}


def check_task(name: Any, population: Any, examples: Any) -> None:
    """Raises InputError for a task's arguments that cannot be meant."""
    need_text(name, "the task's name")
    need_one_of(population, ("whole", "sample"), f"task {shown(name)}: population")
    if population == "whole" and examples is None:
        raise InputError("a task without examples has no whole population. Use 'sample'.")


def _from_file(path: Path) -> Examples:
    from optimand.tasks.example_files import read_rows

    faults = Faults()
    rows = read_rows(path, faults)
    if path.suffix.lower() in (".csv", ".tsv"):
        rows = [(place, _from_cells(row)) for place, row in rows]
    return examples_from_rows(rows, faults)


def _from_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = dict(cells)
    if not row.get("target", "").strip():
        row.pop("target", None)
    if "tags" in row:
        row["tags"] = [tag.strip() for tag in row["tags"].split(";") if tag.strip()]
    return row


def examples_from_rows(rows: Sequence[tuple[str, Any]], faults: Faults | None = None) -> Examples:
    """Examples from (place, value) rows, where a place reads like `examples.jsonl line 17`.

    Raises InputError with all that is wrong, after the `faults` that were found before.
    """
    faults = faults or Faults()
    made: list[tuple[str, Example]] = []
    for place, row in rows:
        with faults.caught():
            made.append((place, _example(place, row)))
    generated = not any(example.id for _, example in made)
    places: dict[str, str] = {}
    examples = []
    for place, example in made:
        with faults.caught():
            known = _identified(place, example, generated, places)
            places[known.id] = place
            examples.append(known)
    faults.settle()
    found = Examples(examples)
    found.places = places
    return found


def _identified(
    place: str, example: Example, generated: bool, places: Mapping[str, str]
) -> Example:
    """The example with an id that no other has."""
    if generated:
        name = content_hash(example.input, example.target, example.tags)[:12]
        example = Example(name, example.input, example.target, example.tags)
    elif not example.id:
        raise InputError(
            f"{place}: no field 'id'. Other examples have one, so every example needs one."
        )
    if example.id in places:
        same = "the same content" if generated else f"the id {example.id!r}"
        way = "Drop one, or give both an id." if generated else "Ids must differ."
        raise InputError(f"{place}: {same} as {places[example.id]}. {way}")
    return example


def _example(place: str, row: Any) -> Example:
    """The example of one row, with an empty id where the row has none."""
    if isinstance(row, Example):
        row = {"id": row.id, "input": row.input, "target": row.target, "tags": list(row.tags)}
    if not isinstance(row, Mapping):
        row = {"input": row}
    complaint = plain_complaint(row)
    if complaint:
        raise InputError(f"{place}: {complaint}.")
    faults = Faults()
    name, value = "", None
    tags: tuple[str, ...] = ()
    with faults.caught():
        name = _id(place, row)
    with faults.caught():
        value = _input(place, row)
    with faults.caught():
        tags = _tags(place, row.get("tags"))
    faults.settle()
    return Example(name, value, row.get("target"), tags)


def _input(place: str, row: Mapping[str, Any]) -> Any:
    others = {name: value for name, value in row.items() if name not in _FIELDS}
    if "input" not in row:
        if not others:
            raise InputError(f"{place}: no field 'input'. Every example needs one.")
        return others
    if others:
        name = next(iter(others))
        close = get_close_matches(name, _FIELDS, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"{place}: unknown field {shown(name)} beside 'input'. "
            f"Known: {', '.join(_FIELDS)}.{hint} Put further fields inside 'input'."
        )
    value = row["input"]
    if value is None or value == {}:
        raise InputError(f"{place}: the input is empty. Every example needs one.")
    return value


def _id(place: str, row: Mapping[str, Any]) -> str:
    if "id" not in row:
        return ""
    value = row["id"]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{place}: the id is {shown(value)}. It must be text or a whole number.")
    name = str(value).strip()
    if not name:
        raise InputError(f"{place}: the id is empty. Give every example an id, or none of them.")
    return name


def _tags(place: str, value: Any) -> tuple[str, ...]:
    tags = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
        raise InputError(f"{place}: tags are {shown(value)}. They must be a list of texts.")
    return tuple(tags)
