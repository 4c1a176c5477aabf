"""Exact match after normalisation."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.example import Example
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict
from optimand.evaluation.judges.options import check_options

__all__ = ["Exact", "normalise"]

_MARKS = 30
_JOINER = "\u034f"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


def _unpunctuated(text: str) -> str:
    """Without punctuation, except the signs and points that belong to a number."""
    kept = []
    for i, char in enumerate(text):
        if not unicodedata.category(char).startswith("P"):
            kept.append(char)
            continue
        before, after = text[i - 1 : i], text[i + 1 : i + 2]
        inside = before.isdigit() and after.isdigit() and char in ".,:/"
        leading = not before.isalnum() and after.isdigit() and char in ".-"
        joins = unicodedata.category(char) == "Pd" or char in "/_"
        kept.append(char if inside or leading else " " if joins else "")
    return "".join(kept)


def _stream_safe(text: str) -> str:
    """The text with no more than 30 combining marks in a row: putting them in order is quadratic.

    A combining grapheme joiner parts them (Unicode Standard Annex 15, section 13).
    """
    if text.isascii():
        return text
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks > _MARKS:
            kept.append(_JOINER)
            marks = 1
        kept.append(char)
    return "".join(kept)


def normalise(value: Any, *, case: bool, punctuation: bool, articles: bool) -> str:
    """The text of a value with Unicode forms and spaces evened out, and what is named ignored.

    A text of which nothing would be left keeps its punctuation and articles.
    """
    text = " ".join(unicodedata.normalize("NFKC", _stream_safe(as_text(value))).split())
    text = text.casefold() if case else text
    for wanted, strip in ((punctuation, _unpunctuated), (articles, _without_articles)):
        shorter = " ".join(strip(text).split()) if wanted else ""
        text = shorter or text
    return text


def _without_articles(text: str) -> str:
    return _ARTICLES.sub(" ", text)


@dataclass
class Exact:
    """1 if the output equals an accepted answer: the target, or any member of a target list."""

    ignore_case: bool = True
    ignore_punctuation: bool = True
    ignore_articles: bool = False
    name: str = "exact"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example without a target."""
        accepted(self.name, example)

    def score(self, example: Example, record: Record, seed: int) -> Judgement:  # noqa: ARG002
        answers = accepted(self.name, example)
        if settled := settled_score(record):
            return settled
        output = self._normal(record.output)
        right = any(self._normal(answer) == output for answer in answers)
        return verdict(right, record.output, " or ".join(repr(as_text(a)) for a in answers))

    def _normal(self, value: Any) -> str:
        return normalise(
            value,
            case=self.ignore_case,
            punctuation=self.ignore_punctuation,
            articles=self.ignore_articles,
        )
