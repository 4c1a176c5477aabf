"""Accepted answers found in the output as whole words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_one_of
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict
from optimand.evaluation.judges.options import check_options

__all__ = ["Contains"]


@dataclass
class Contains:
    """1 if the output contains the accepted answers as whole words: any of them, or all.

    An output that names every possible answer passes: bound its length, or parse it first.
    """

    need: Literal["any", "all"] = "any"
    ignore_case: bool = True
    name: str = "contains"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)
        need_one_of(self.need, ("any", "all"), f"judge {self.name!r}: need")

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example without a target, or with an empty one."""
        if not all(as_text(answer).strip() for answer in accepted(self.name, example)):
            raise InputError(
                f"judge {self.name!r}: a target of example {example.id!r} is the empty text, "
                "which every output contains. Drop it."
            )

    def score(self, example: Example, record: Record, seed: int) -> Judgement:  # noqa: ARG002
        self.require(example)
        if settled := settled_score(record):
            return settled
        answers = [as_text(answer).split() for answer in accepted(self.name, example)]
        text, flags = as_text(record.output), re.IGNORECASE if self.ignore_case else 0
        found = [bool(re.search(_whole(words), text, flags)) for words in answers]
        right = any(found) if self.need == "any" else all(found)
        wanted = f"{self.need} of " + ", ".join(repr(" ".join(words)) for words in answers)
        return verdict(right, record.output, wanted)


def _whole(words: list[str]) -> str:
    return r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
