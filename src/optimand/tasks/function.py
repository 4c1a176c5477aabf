"""Anything that a function can score."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError, OptimandError
from optimand.core.example import Endless, Example
from optimand.core.functions import describe_function
from optimand.core.given import need_function
from optimand.core.keys import content_hash
from optimand.core.record import Record
from optimand.core.task import Judge
from optimand.core.usercode import CRASHES, crashed, shown
from optimand.tasks.answers import crash_text, subject, text, unit
from optimand.tasks.examples import Source, check_task, load_splits

__all__ = ["FunctionTask"]

_ANSWER = ("score", "feedback", "output", "objectives")


class FunctionTask:
    """Scores candidates by `function(value, example, seed)`, sync or async.

    `value` is the candidate's live object if it has one, else its single part `value`, else the
    mapping of its parts. The answer is a score in [0, 1], (score, feedback), or a mapping with
    `score` and any of feedback, output and objectives. `examples` are a path, a list, or a mapping
    of splits (train, val, test, all) to these; without, the function draws its own situation from
    the seed, and examples never run out. An exception is the status "crash"
    (TimeoutError: "timeout") with score 0; any other answer raises InputError.

    Another function is another study: see `optimand.core.functions` for what is looked at. Where
    something else changes (a model behind the function, a global variable), change `name`.
    """

    def __init__(
        self,
        function: Callable[[Any, Example, int], Any],
        examples: Source | Mapping[str, Source] | None = None,
        *,
        name: str = "function",
        population: Literal["whole", "sample"] = "sample",
        width: int = 1,
    ) -> None:
        need_function(function, "the function of FunctionTask", ("value", "example", "seed"))
        check_task(name, population, examples)
        self.name = name
        self.function = function
        self.splits: Mapping[str, Sequence[Example]] = (
            {"all": Endless()} if examples is None else load_splits(examples)
        )
        self.population: Literal["whole", "sample"] = population
        self.width = width
        self.judge: Judge | None = None

    def fingerprint(self) -> str:
        """Changes when the function does, or what it carries along."""
        return content_hash("function", describe_function(self.function))

    def check(self, artifact: Artifact) -> list[str]:  # noqa: ARG002
        """No complaints: only the function knows what it accepts."""
        return []

    def execute(
        self, candidate: Candidate, example: Example, seed: int
    ) -> Record | Awaitable[Record]:
        """The scored record of one call."""
        try:
            answer = self.function(subject(candidate.artifact), example, seed)
        except OptimandError:
            raise
        except BaseException as error:
            if not crashed(error):
                raise
            return _failed(candidate, example, error)
        if inspect.isawaitable(answer):
            return self._awaited(answer, candidate, example)
        return self._record(answer, candidate, example)

    async def _awaited(
        self, answer: Awaitable[Any], candidate: Candidate, example: Example
    ) -> Record:
        try:
            value = await answer
        except OptimandError:
            raise
        except BaseException as error:
            if not crashed(error):
                raise
            return _failed(candidate, example, error)
        return self._record(value, candidate, example)

    def _record(self, answer: Any, candidate: Candidate, example: Example) -> Record:
        what = f"the function of task {self.name!r}, on example {example.id!r},"
        parts = _parts(answer, what)
        return Record(
            candidate.id,
            example.id,
            score=unit(parts["score"], what),
            output=parts.get("output"),
            feedback=text(parts.get("feedback", ""), what),
            objectives=_objectives(parts.get("objectives", {}), what),
        )

    async def close(self) -> None:
        """Holds nothing that needs closing."""


def _parts(answer: Any, what: str) -> Mapping[str, Any]:
    if isinstance(answer, tuple) and len(answer) == 2:
        return {"score": answer[0], "feedback": answer[1]}
    if not isinstance(answer, Mapping):
        return {"score": answer}
    if "score" not in answer or any(key not in _ANSWER for key in answer):
        have = ", ".join(map(shown, answer)) or "nothing"
        raise InputError(
            f"{what} answered a mapping with {have}. "
            f"It needs 'score' and may have {', '.join(_ANSWER[1:])}."
        )
    return answer


def _objectives(given: Any, what: str) -> dict[str, float]:
    try:
        return {str(name): float(value) for name, value in given.items()}
    except CRASHES:
        raise InputError(
            f"{what} answered the objectives {shown(given)}. "
            "They must be a mapping of names to numbers."
        ) from None


def _failed(candidate: Candidate, example: Example, error: BaseException) -> Record:
    status: Literal["crash", "timeout"] = "timeout" if isinstance(error, TimeoutError) else "crash"
    feedback = crash_text(error)
    return Record(candidate.id, example.id, score=0.0, feedback=feedback, status=status)
