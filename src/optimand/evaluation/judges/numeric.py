"""Numbers within a tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import find_numbers
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict
from optimand.evaluation.judges.options import check_options

__all__ = ["Numeric"]


def _number(value: Any) -> float | None:
    """A number as it is; of a text, the last number in it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        value = str(value)  # so that an integer too large for a float is no number either
    found = find_numbers(value) if isinstance(value, str) else []
    return found[-1] if found else None


@dataclass
class Numeric:
    """1 if the output's last number is within the tolerance of an accepted number.

    |output - target| <= max(tolerance, relative * |target|).
    """

    tolerance: float = 0.0
    relative: float = 1e-9
    name: str = "numeric"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)
        for label, value in (("tolerance", self.tolerance), ("relative", self.relative)):
            if not 0 <= value < math.inf:
                raise InputError(f"judge {self.name!r}: {label} is {value}. It must be >= 0.")

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example whose target is not a number."""
        self._targets(example)

    def score(self, example: Example, record: Record, seed: int) -> Judgement:  # noqa: ARG002
        targets = self._targets(example)
        if settled := settled_score(record):
            return settled
        value = _number(record.output)
        right = value is not None and any(
            abs(value - target) <= max(self.tolerance, self.relative * abs(target))
            for target in targets
        )
        return verdict(right, record.output, " or ".join(f"{target:g}" for target in targets))

    def _targets(self, example: Example) -> list[float]:
        targets = []
        for answer in accepted(self.name, example):
            number = _number(answer)
            if number is None:
                raise InputError(
                    f"judge {self.name!r}: the target {answer!r} of example {example.id!r} "
                    "is not a number."
                )
            targets.append(number)
        return targets
