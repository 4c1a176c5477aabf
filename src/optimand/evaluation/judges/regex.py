"""A pattern that the output must match."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict

__all__ = ["Regex"]


@dataclass
class Regex:
    """1 if the pattern is found in the output, or matches all of it with `full`.

    Without `pattern`, each example's target is its pattern (any of them, if it is a list).
    """

    pattern: str | None = None
    full: bool = False
    name: str = "regex"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        if self.pattern is not None:
            self._compiled(self.pattern, "")

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example whose target should be a pattern and is none."""
        self._patterns(example)

    def score(self, example: Example, record: Record, seed: int) -> Judgement:  # noqa: ARG002
        patterns = self._patterns(example)
        if settled := settled_score(record):
            return settled
        text = as_text(record.output)
        right = any(p.fullmatch(text) if self.full else p.search(text) for p in patterns)
        wanted = "a match of " + " or ".join(repr(p.pattern) for p in patterns)
        return verdict(right, record.output, wanted)

    def _patterns(self, example: Example) -> list[re.Pattern[str]]:
        if self.pattern is not None:
            return [self._compiled(self.pattern, "")]
        where = f" of example {example.id!r}"
        return [self._compiled(answer, where) for answer in accepted(self.name, example)]

    def _compiled(self, pattern: object, where: str) -> re.Pattern[str]:
        try:
            return re.compile(as_text(pattern))
        except re.error as error:
            raise InputError(
                f"judge {self.name!r}: the pattern {pattern!r}{where} is broken: {error}."
            ) from None
