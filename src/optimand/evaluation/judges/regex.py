"""A pattern that the output must match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict
from optimand.evaluation.judges.options import check_options
from optimand.evaluation.patterns import broken, find

__all__ = ["Regex"]


@dataclass
class Regex:
    """1 if the pattern is found in the output, or matches all of it with `full`.

    Without `pattern`, each example's target is its pattern (any of them, if it is a list).
    An output on which a pattern takes longer than 2 seconds gets no judgement: never a loss.
    """

    pattern: str | None = None
    full: bool = False
    name: str = "regex"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)
        if self.pattern is not None:
            self._checked(self.pattern, "")

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
        try:
            right = any(find(p, text, full=self.full) is not None for p in patterns)
        except TimeoutError as error:
            return Judgement(None, f"the output could not be judged: {error}", status="invalid")
        wanted = "a match of " + " or ".join(map(repr, patterns))
        return verdict(right, record.output, wanted)

    def _patterns(self, example: Example) -> list[str]:
        if self.pattern is not None:
            return [self.pattern]
        where = f" of example {example.id!r}"
        return [self._checked(answer, where) for answer in accepted(self.name, example)]

    def _checked(self, pattern: object, where: str) -> str:
        text = as_text(pattern)
        if problem := broken(text):
            raise InputError(
                f"judge {self.name!r}: the pattern {pattern!r}{where} is broken: {problem}."
            )
        return text
