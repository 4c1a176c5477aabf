"""Rows of example files, each with the place it came from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from optimand.core.errors import InputError
from optimand.tasks.faults import Faults
from optimand.tasks.yamlfile import line_of, parse_yaml, read_text

__all__ = ["Row", "read_rows"]

Row = tuple[str, Any]
"""(place, value): the place reads like `examples.jsonl line 17`."""


def read_rows(path: Path, faults: Faults) -> list[Row]:
    """The rows of a JSONL, JSON, YAML, CSV or TSV file; `faults` gets what is wrong with one line.

    Raises InputError, with file and line, for a file that cannot be read as what its name says.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise InputError(f"{path.name:.200}: unknown kind of example file. Use one of {known}.")
    rows: list[Row] = []
    with faults.caught():
        rows.extend(reader(read_text(path), path.name, faults))
    if not rows:
        faults.settle()
        raise InputError(f"{path.name}: the file holds no examples.")
    return rows


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_pairs)


def _json_problem(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"broken JSON: {error.msg}, column {error.colno}."
    return (
        "broken JSON: it is nested too deep." if isinstance(error, RecursionError) else f"{error}."
    )


def _jsonl(text: str, name: str, faults: Faults) -> Iterator[Row]:
    # splitlines() would also split at the line separators that JSON allows within a text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{name} line {number}"
        try:
            yield place, _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            faults.add(f"{place}: {_json_problem(error)}")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _json(text: str, name: str, _: Faults) -> Iterator[Row]:
    """Decodes a list member by member, so that each one's line is known."""
    at = _skip(text, 0)
    if at == len(text):
        return
    if text[at] != "[":
        raise InputError(f"{name}: the file must be one JSON list of examples.")
    at = _skip(text, at + 1)
    more = text[at : at + 1] != "]"
    while more:
        line = text.count("\n", 0, at) + 1
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise InputError(f"{name} line {line}: {_json_problem(error)}") from None
        yield f"{name} line {line}", value
        at = _skip(text, at)
        more = text[at : at + 1] == ","
        at = _skip(text, at + 1) if more else at
    if text[at : at + 1] != "]" or text[at + 1 :].strip():
        line = text.count("\n", 0, at) + 1
        raise InputError(f"{name} line {line}: broken JSON: expected ',' or the list's end ']'.")


def _yaml(text: str, name: str, _: Faults) -> Iterator[Row]:
    value, node = parse_yaml(text, name)
    if value is None:
        return
    if not isinstance(value, list):
        raise InputError(f"{name} line {line_of(node, ())}: the file must be one list of examples.")
    for index, row in enumerate(value):
        yield f"{name} line {line_of(node, [index])}", row


def _table(text: str, name: str, faults: Faults, delimiter: str) -> Iterator[Row]:
    # The limit is against quotes that never end in an endless stream; this text is all there.
    csv.field_size_limit(max(csv.field_size_limit(), min(len(text), 2**31 - 1)))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    header: list[str] = []
    start = 1
    try:
        for cells in reader:
            place, start = f"{name} line {start}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _header(cells, place)
                continue
            if len(cells) != len(header):
                faults.add(
                    f"{place}: {len(cells)} cells, but the header has {len(header)}. "
                    "Quote cells that hold the delimiter."
                )
                continue
            yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"{name} line {reader.line_num}: {error}.") from None


def _header(cells: list[str], place: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    if "" in names:
        raise InputError(f"{place}: column {names.index('') + 1} of the header has no name.")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{place}: two columns are named {name!r}.")
    return names


def _csv(text: str, name: str, faults: Faults) -> Iterator[Row]:
    return _table(text, name, faults, ",")


def _tsv(text: str, name: str, faults: Faults) -> Iterator[Row]:
    return _table(text, name, faults, "\t")


_READERS: Mapping[str, Callable[[str, str, Faults], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".csv": _csv,
    ".tsv": _tsv,
}
