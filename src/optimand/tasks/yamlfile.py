"""YAML with line numbers, and without the surprises of YAML 1.1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from optimand.core.errors import InputError
from optimand.tasks.yamlnodes import check_nodes

__all__ = ["line_of", "parse_yaml", "read_text"]


class _Loader(yaml.SafeLoader):
    """Scalars by YAML 1.2's core schema: `no` and `12:30` and `2024-01-01` are texts."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", "-+0123456789."),
    ("float", r"[-+]?[0-9]+[eE][-+]?[0-9]+", "-+0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first)
    )


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises InputError if it cannot be read or decoded."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with NUL in it is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path!s:.500}: cannot be read: {reason}. Check the path.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path.name} line {line}: byte 0x{data[error.start]:02x} is not UTF-8. "
            "Save the file as UTF-8."
        ) from None


def parse_yaml(text: str, name: str) -> tuple[Any, yaml.Node | None]:
    """The value of a YAML text, and its node tree for `line_of`.

    Raises InputError, with file name and line, for broken YAML, a repeated key, a tag that asks for
    more than plain data, half of a surrogate pair, and aliases that go in circles or that stand for
    more than a million values.
    """
    try:
        return _parsed(text, name)
    except yaml.YAMLError as error:
        raise InputError(_syntax(error, name, text)) from None
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{name}: it is nested too deep. Write it flatter.") from None
    except Exception as error:  # what the parser raises for a value that does not fit its !!tag
        raise InputError(f"{name}: a value cannot be read: {error}.") from None


def _parsed(text: str, name: str) -> tuple[Any, yaml.Node | None]:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        check_nodes(node, name)
        return loader.construct_document(node), node
    finally:
        loader.dispose()


def _syntax(error: yaml.YAMLError, name: str, text: str) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return (
            f"{name} line {line}: the character U+{ord(text[error.position]):04X} is not allowed. "
            "Delete it, or write it as an escape within double quotes."
        )
    mark = getattr(error, "problem_mark", None)
    where = f" line {mark.line + 1}" if mark else ""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "broken YAML"
    return f"{name}{where}: {problem}. Check indentation, quotes and colons there."


def line_of(node: yaml.Node | None, path: Sequence[str | int], *, key: bool = False) -> int:
    """The line, from 1, of the node at `path`, or of the deepest node on the way there.

    Steps that lead nowhere are passed over. With `key`, the line of the last step's key.
    """
    line = node.start_mark.line + 1 if node is not None else 1
    for number, step in enumerate(path):
        found = _step(node, step)
        if found is None:
            continue
        mark, node = found
        last = key and number == len(path) - 1
        line = (mark if last or isinstance(step, str) else node.start_mark).line + 1
    return line


def _step(node: yaml.Node | None, step: str | int) -> tuple[yaml.Mark, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark, node.value[step]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return key.start_mark, value
    return None
