"""What was deleted from a text and what was inserted, in words, for reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from optimand.core.keys import canonical
from optimand.evaluation.extract import as_text

__all__ = ["PartDiff", "Piece", "diff_parts", "diff_texts"]

LIMIT = 20_000
LINES = 300
CELLS = 40_000
"""Pairs of words that are compared: matching may take a time that grows with their square."""

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    """A piece of text: `kind` is "same", "del" or "ins"."""

    kind: str
    text: str


@dataclass(frozen=True)
class PartDiff:
    """One part of the artifact: its pieces, and how many characters of it were left out."""

    label: str
    pieces: tuple[Piece, ...]
    more: int
    before: int
    after: int


def diff_parts(start: Mapping[str, Any], best: Mapping[str, Any]) -> list[PartDiff]:
    """The parts in which two artifacts differ."""
    found = []
    for name in (*start, *(name for name in best if name not in start)):
        one, other = start.get(name), best.get(name)
        if canonical([one]) == canonical([other]):
            continue
        before, after = as_text(one), as_text(other)
        more = max(0, len(before) - LIMIT) + max(0, len(after) - LIMIT)
        pieces = tuple(diff_texts(before[:LIMIT], after[:LIMIT]))
        found.append(PartDiff(name, pieces, more, len(before), len(after)))
    return found


def diff_texts(before: str, after: str) -> list[Piece]:
    """The pieces that lead from one text to the other, by lines and within them by words."""
    one, other = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if max(len(one), len(other)) > LINES:
        return [p for p in (Piece("del", before), Piece("ins", after)) if p.text]
    pieces: list[Piece] = []
    for kind, a, b in _matched(one, other):
        if kind == "replace":
            pieces += _words("".join(a), "".join(b))
        else:
            pieces += _plain(kind, "".join(a), "".join(b))
    return _joined(pieces)


def _words(before: str, after: str) -> Iterator[Piece]:
    one, other = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(one) * len(other) > CELLS:
        yield from _plain("replace", before, after)
        return
    for kind, a, b in _matched(one, other):
        yield from _plain(kind, "".join(a), "".join(b))


def _matched(
    one: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        yield kind, one[a:b], other[c:d]


def _plain(kind: str, before: str, after: str) -> Iterator[Piece]:
    if kind == "equal":
        yield Piece("same", before)
        return
    if before:
        yield Piece("del", before)
    if after:
        yield Piece("ins", after)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours of one kind as one piece."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].kind == piece.kind:
            found[-1] = Piece(piece.kind, found[-1].text + piece.text)
        else:
            found.append(piece)
    return found
