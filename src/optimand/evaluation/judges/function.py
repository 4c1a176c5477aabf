"""Scores and preferences by the user's own function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.example import Example
from optimand.core.given import need_function
from optimand.core.record import Judgement, Record
from optimand.core.usercode import CRASHES, failing_as
from optimand.evaluation.judges.common import (
    call,
    failure,
    fingerprint,
    settled_pair,
    settled_score,
    unit_value,
)
from optimand.evaluation.judges.options import check_options

__all__ = ["Function", "PairFunction"]


def _judgement(answer: Any, judge: str, example: Example) -> Judgement:
    value, feedback = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, "")
    score = unit_value(value, judge, example)
    try:
        return Judgement(score, str(feedback))
    except CRASHES as error:
        raise failure(error, judge, example) from error


async def _awaited(answer: Awaitable[Any], judge: str, example: Example) -> Judgement:
    with failing_as(lambda error: failure(error, judge, example)):
        value = await answer
    return _judgement(value, judge, example)


@dataclass
class Function:
    """The score `function(output, example)`: a number in [0, 1], or (number, feedback).

    The function may be sync or async. Raises InputError, naming judge and example, for any other
    answer (None, NaN, 1.2) and for an exception: a broken judge must not look like a bad output.
    """

    function: Callable[[Any, Example], Any]
    name: str = "function"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)
        need_function(self.function, f"judge {self.name!r}: function", ("output", "example"))

    def fingerprint(self) -> str:
        return fingerprint(self)

    def score(
        self,
        example: Example,
        record: Record,
        seed: int,  # noqa: ARG002
    ) -> Judgement | Awaitable[Judgement]:
        if settled := settled_score(record):
            return settled
        answer = call(self.function, self.name, example, record.output, example)
        if inspect.isawaitable(answer):
            return _awaited(answer, self.name, example)
        return _judgement(answer, self.name, example)


@dataclass
class PairFunction:
    """The preference `function(output_a, output_b, example)`: 1 = a better, 0.5 = tie, 0 = b.

    The function may be sync or async and may return (number, feedback); errors as for Function.
    It is not asked about equal outputs or failed runs.
    """

    function: Callable[[Any, Any, Example], Any]
    name: str = "pair_function"
    kind: Literal["pair"] = field(default="pair", init=False)
    needs_outputs: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_options(self)
        arguments = ("output_a", "output_b", "example")
        need_function(self.function, f"judge {self.name!r}: function", arguments)

    def fingerprint(self) -> str:
        return fingerprint(self)

    def compare(
        self,
        example: Example,
        a: Record,
        b: Record,
        seed: int,  # noqa: ARG002
    ) -> Judgement | Awaitable[Judgement]:
        if settled := settled_pair(a, b):
            return settled
        answer = call(self.function, self.name, example, a.output, b.output, example)
        if inspect.isawaitable(answer):
            return _awaited(answer, self.name, example)
        return _judgement(answer, self.name, example)
