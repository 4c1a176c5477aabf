"""Anything of which a function can say which of two is better."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Endless, Example
from optimand.core.functions import describe_function
from optimand.core.given import need_function
from optimand.core.keys import content_hash
from optimand.core.record import Judgement, Record
from optimand.core.task import Judge
from optimand.core.usercode import failing_as
from optimand.tasks.answers import crash_text, subject, text, unit
from optimand.tasks.examples import Source, check_task, load_examples

__all__ = ["DuelJudge", "DuelTask"]


@dataclass
class DuelJudge:
    """Asks `function(a, b, example, seed)`: 1 = a better, 0.5 = tie, 0 = b; or (value, feedback).

    `known` maps candidate ids to what the function receives. Raises InputError for any other
    answer and for an exception: neither says which of the two is better.
    """

    function: Callable[[Any, Any, Example, int], Any]
    known: dict[str, Any] = field(default_factory=dict, repr=False)
    name: str = "duel"
    kind: Literal["pair"] = field(default="pair", init=False)
    needs_outputs: bool = field(default=False, init=False)

    def fingerprint(self) -> str:
        return content_hash("duel", describe_function(self.function))

    def compare(
        self, example: Example, a: Record, b: Record, seed: int
    ) -> Judgement | Awaitable[Judgement]:
        what = f"the function of judge {self.name!r}, on example {example.id!r},"
        with failing_as(lambda error: _failure(error, what)):
            answer = self.function(self._value(a), self._value(b), example, seed)
        if inspect.isawaitable(answer):
            return _awaited(answer, what)
        return _judgement(answer, what)

    def _value(self, record: Record) -> Any:
        if record.candidate not in self.known:
            raise InputError(
                f"candidate {record.candidate} is unknown to the duel. "
                "Call the task's `check` with its artifact first."
            )
        return self.known[record.candidate]


async def _awaited(answer: Awaitable[Any], what: str) -> Judgement:
    with failing_as(lambda error: _failure(error, what)):
        value = await answer
    return _judgement(value, what)


def _failure(error: BaseException, what: str) -> InputError:
    return InputError(f"{what} failed with {crash_text(error)}.")


def _judgement(answer: Any, what: str) -> Judgement:
    value, feedback = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, "")
    return Judgement(unit(value, what), text(feedback, what))


class DuelTask:
    """Compares candidates by `function(a, b, example, seed)`, without running them first.

    `a` and `b` are what `FunctionTask` would pass: live object, single `value`, or parts. The
    caller gives a pair in a fixed order: a function that the order can sway must shuffle by the
    seed itself. `check` must see an artifact before it is compared; `pick` sees to that.
    """

    def __init__(
        self,
        function: Callable[[Any, Any, Example, int], Any],
        examples: Source | None = None,
        *,
        name: str = "duel",
        population: Literal["whole", "sample"] = "sample",
        width: int = 1,
    ) -> None:
        need_function(function, "the function of DuelTask", ("a", "b", "example", "seed"))
        check_task(name, population, examples)
        self.name = name
        self.splits: Mapping[str, Sequence[Example]] = {
            "all": Endless() if examples is None else load_examples(examples)
        }
        self.population: Literal["whole", "sample"] = population
        self.width = width
        self._judge = DuelJudge(function)
        self.judge: Judge | None = self._judge

    def fingerprint(self) -> str:
        """The same for all duels: what decides is the judge, which has its own."""
        return content_hash("duel")

    def check(self, artifact: Artifact) -> list[str]:
        """Remembers the artifact, so that the judge can find it by its id. No complaints."""
        self._judge.known[artifact.id] = subject(artifact)
        return []

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:  # noqa: ARG002
        """A record of the candidate's id alone: the duel is the run."""
        return Record(candidate.id, example.id)

    async def close(self) -> None:
        """Holds nothing that needs closing."""
