"""A preference made of two scores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.pool import close_unbegun
from optimand.core.record import Judgement, Record
from optimand.core.task import ScoreJudge
from optimand.evaluation.judges.common import example_complaints, fingerprint
from optimand.evaluation.judges.options import check_options

__all__ = ["Margin"]


@dataclass
class Margin:
    """a is better if its score exceeds b's by more than `margin`; within the margin it is a tie."""

    score: ScoreJudge
    margin: float = 0.0
    name: str = "margin"
    kind: Literal["pair"] = field(default="pair", init=False)
    needs_outputs: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_options(self)
        if not 0 <= self.margin < 1:
            raise InputError(
                f"judge {self.name!r}: margin is {self.margin}. It must be at least 0 and below 1."
            )

    @property
    def width(self) -> int | None:
        """How many questions a person is to be asked at once, where one gives the scores."""
        return getattr(self.score, "width", None)

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example that the score judge cannot use."""
        for _, complaint in example_complaints(self.score, [example]):
            raise InputError(complaint)

    def compare(
        self, example: Example, a: Record, b: Record, seed: int
    ) -> Judgement | Awaitable[Judgement]:
        first = self.score.score(example, a, seed)
        second = self.score.score(example, b, seed)
        if isinstance(first, Judgement) and isinstance(second, Judgement):
            return self._judgement(first, second, (a.candidate, b.candidate))
        return self._awaited(first, second, (a.candidate, b.candidate))

    async def _awaited(
        self,
        first: Judgement | Awaitable[Judgement],
        second: Judgement | Awaitable[Judgement],
        names: tuple[str, str],
    ) -> Judgement:
        try:
            both = await asyncio.gather(_settled(first), _settled(second))
        finally:  # cancelled before they began, or one failed
            close_unbegun(first)
            close_unbegun(second)
        return self._judgement(*both, names)

    def _judgement(self, first: Judgement, second: Judgement, names: tuple[str, str]) -> Judgement:
        usage = first.usage + second.usage
        if first.value is None or second.value is None:
            failed = first if first.value is None else second
            return Judgement(None, failed.feedback, usage, "unknown")
        gap = first.value - second.value
        value = 0.5 if abs(gap) <= self.margin + 1e-12 else float(gap > 0)
        pairs = zip(names, (first, second), strict=True)
        feedback = "; ".join(f"{n} scores {j.value:g} {j.feedback}".rstrip() for n, j in pairs)
        details = {"parts": [dict(j.details) for j in (first, second) if j.details]}
        return Judgement(value, feedback, usage, details=details if details["parts"] else {})


async def _settled(judgement: Judgement | Awaitable[Judgement]) -> Judgement:
    return judgement if isinstance(judgement, Judgement) else await judgement
