"""Parsers: from what a model wrote to the value that is judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from optimand.core.errors import InputError
from optimand.core.usercode import shown
from optimand.evaluation.extract import as_text, find_json, find_numbers
from optimand.evaluation.patterns import broken, find

__all__ = ["PARSERS", "Parsed", "Parser", "parser_from"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value found, or why there is none: `error` is empty if and only if parsing worked."""

    value: Any = None
    error: str = ""


Parser = Callable[[str], Parsed]
"""Never raises, whatever the text."""


def _text() -> Parser:
    return lambda text: Parsed(text.strip())


def _first_line() -> Parser:
    def parse(text: str) -> Parsed:
        line = next((line.strip() for line in text.splitlines() if line.strip()), "")
        return Parsed(line) if line else Parsed(error="the reply is empty.")

    return parse


def _first_word() -> Parser:
    def parse(text: str) -> Parsed:
        match = re.search(r"\w(?:[\w'’-]*\w)?", text)
        return Parsed(match.group()) if match else Parsed(error="the reply holds no word.")

    return parse


def _number(which: str = "last") -> Parser:
    if which not in ("first", "last"):
        raise InputError(f"parser 'number': which is {shown(which)}. Use 'first' or 'last'.")

    def parse(text: str) -> Parsed:
        found = find_numbers(text)
        if not found:
            return Parsed(error="the reply holds no number.")
        return Parsed(found[0 if which == "first" else -1])

    return parse


def _regex(pattern: str, group: int | str | None = None) -> Parser:
    problem = broken(pattern) if isinstance(pattern, str) else "it is not text"
    if problem:
        raise InputError(f"parser 'regex': {shown(pattern)} is not a pattern: {problem}.")
    import regex

    compiled = regex.compile(pattern)
    # Without a choice of group, the first group of the pattern is meant if there is one.
    wanted = min(1, compiled.groups) if group is None else group
    if not _known_group(compiled, wanted):
        what = f"the pattern {shown(pattern)} has no group {shown(group)}"
        raise InputError(f"parser 'regex': {what}.")

    def parse(text: str) -> Parsed:
        try:
            value = find(pattern, text, group=wanted)
        except TimeoutError as error:
            return Parsed(error=f"the reply could not be searched: {error}.")
        return Parsed(error=f"nothing matches {pattern!r}.") if value is None else Parsed(value)

    return parse


def _known_group(compiled: Any, group: Any) -> bool:
    if isinstance(group, str):
        return group in compiled.groupindex
    whole = isinstance(group, int) and not isinstance(group, bool)
    return whole and 0 <= group <= int(compiled.groups)


def _json_field(field: str) -> Parser:
    if not isinstance(field, str):
        raise InputError(f"parser 'json_field': field is {shown(field)}. It must be text.")

    def parse(text: str) -> Parsed:
        try:
            value = find_json(text)
        except ValueError:
            return Parsed(error="the reply holds no JSON.")
        if not isinstance(value, Mapping) or field not in value:
            return Parsed(error=f"the reply's JSON has no field {field!r}.")
        return Parsed(value[field])

    return parse


def _choice(choices: list[Any]) -> Parser:
    if isinstance(choices, str) or not choices:
        raise InputError("parser 'choice': choices must be a list with at least one text.")
    names = [as_text(choice) for choice in choices]
    words = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names}
    if len({name.casefold() for name in names}) < len(names) or "" in names:
        raise InputError("parser 'choice': choices must be distinct (in any case) and not empty.")

    def parse(text: str) -> Parsed:
        plain = text.strip().strip(".!\"'`*").casefold()
        found = [name for name in names if name.casefold() == plain]
        found = found or [name for name in names if words[name].search(text)]
        if len(found) == 1:
            return Parsed(found[0])
        problem = "names none" if not found else "names several"
        return Parsed(error=f"the reply {problem} of the choices {', '.join(names)}.")

    return parse


PARSERS: Mapping[str, Callable[..., Parser]] = {
    "text": _text,
    "first_line": _first_line,
    "first_word": _first_word,
    "number": _number,
    "regex": _regex,
    "json_field": _json_field,
    "choice": _choice,
}


def parser_from(spec: Mapping[str, Any] | str) -> Parser:
    """The parser that a name, or a mapping with `type` and options, describes.

    text: stripped. first_line, first_word: the first that is not empty. number: `which` is "last"
    or "first". regex: `pattern`, `group`. json_field: `field`. choice: `choices`, found as whole
    words in any case; a reply naming several is not parsed. Raises InputError for an unknown type
    or bad options.
    """
    options: dict[str, Any] = {"type": spec} if isinstance(spec, str) else dict(spec)
    kind = options.pop("type", None)
    if not isinstance(kind, str) or kind not in PARSERS:
        close = get_close_matches(kind if isinstance(kind, str) else "", PARSERS, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"no parser {shown(kind)}. Known: {', '.join(PARSERS)}.{hint}")
    try:
        return PARSERS[kind](**options)
    except TypeError:
        given = ", ".join(map(shown, options)) or "none"
        raise InputError(f"parser {kind!r}: wrong or missing options (given: {given}).") from None
