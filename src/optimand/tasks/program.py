"""An ordinary Python program with marked functions and parameters, run with their trace kept."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from optimand.artifacts.subgraph import subgraph
from optimand.artifacts.tracing import Parameter, Tracer, active, plain
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.functions import describe_function
from optimand.core.given import need_function
from optimand.core.keys import content_hash
from optimand.core.record import Record
from optimand.core.task import Judge
from optimand.core.usercode import shown
from optimand.tasks.examples import Source
from optimand.tasks.function import FunctionTask
from optimand.tasks.plain import plain_complaint

__all__ = ["ProgramTask"]


class ProgramTask:
    """Runs `program(example)`, sync or async, with a candidate's values of its `parameters`.

    `program` is your own code: it hands parameters (see `optimand.artifacts.tracing`) to functions
    marked with @traced. `score(output, example)` answers as the function of a FunctionTask does: a
    score in [0, 1], (score, feedback), or a mapping. Each record's `trace` holds the calls that led
    from the parameters to the output, or to the error. `start` and `change` are for `improve`:
    `improve(task.start, task, change=task.change, method="optoprime", ...)`.
    """

    def __init__(
        self,
        program: Callable[[Example], Any],
        examples: Source | Mapping[str, Source],
        score: Callable[[Any, Example], Any],
        parameters: Sequence[Parameter],
        *,
        name: str = "program",
        population: Literal["whole", "sample"] = "sample",
        width: int = 1,
    ) -> None:
        need_function(program, "the program of ProgramTask")
        need_function(score, "the score of ProgramTask")
        self._parameters = _by_name(parameters)
        self._program, self._judged = program, score
        self._inner = FunctionTask(
            self._scored, examples, name=name, population=population, width=width
        )
        self.name, self.width = name, width
        self.splits: Mapping[str, Sequence[Example]] = self._inner.splits
        self.population: Literal["whole", "sample"] = population
        self.judge: Judge | None = None

    @property
    def start(self) -> dict[str, Any]:
        """The parameters' values to start from, by name."""
        return {name: one.start for name, one in self._parameters.items()}

    @property
    def change(self) -> dict[str, Any]:
        """What may change, for `improve`: texts, and typed settings."""
        settings = {n: one.setting for n, one in self._parameters.items() if one.setting}
        return {"texts": [n for n in self._parameters if n not in settings], "settings": settings}

    def fingerprint(self) -> str:
        """Changes when the program or the score does, or what they carry along."""
        return content_hash(
            "program", describe_function(self._program), describe_function(self._judged)
        )

    def check(self, artifact: Artifact) -> list[str]:
        """Complains of parameters without a value, and of values without a parameter."""
        names = self._parameters.keys()
        missing = [f"no value for parameter {n!r}" for n in names - artifact.parts.keys()]
        return sorted(missing + [f"no parameter {n!r}" for n in artifact.parts.keys() - names])

    def execute(
        self, candidate: Candidate, example: Example, seed: int
    ) -> Record | Awaitable[Record]:
        """The scored record of one run, with its trace."""
        parts = candidate.artifact.parts
        tracer = Tracer(parts)
        bound = replace(candidate, artifact=Artifact(parts, tracer))
        made = self._inner.execute(bound, example, seed)
        return _traced(made, tracer) if isinstance(made, Record) else _awaited(made, tracer)

    def _scored(self, tracer: Tracer, example: Example, seed: int) -> Any:  # noqa: ARG002
        with active(tracer):
            output = self._program(example)
        if inspect.isawaitable(output):
            return self._later(tracer, output, example)
        return self._answer(tracer, output, example)

    async def _later(self, tracer: Tracer, output: Awaitable[Any], example: Example) -> Any:
        with active(tracer):
            done = await output
        answer = self._answer(tracer, done, example)
        return await answer if inspect.isawaitable(answer) else answer

    def _answer(self, tracer: Tracer, output: Any, example: Example) -> Any:
        tracer.finish(output)
        value = plain(output)
        answer = self._judged(value, example)
        return (
            _filled_later(answer, value) if inspect.isawaitable(answer) else _filled(answer, value)
        )

    async def close(self) -> None:
        """Holds nothing that needs closing."""


async def _filled_later(answer: Awaitable[Any], value: Any) -> Any:
    return _filled(await answer, value)


def _filled(answer: Any, value: Any) -> Any:
    """The answer with the program's output in it, in words where no log could hold it."""
    output = shown(value) if plain_complaint(value) else value
    if isinstance(answer, tuple) and len(answer) == 2:
        answer = {"score": answer[0], "feedback": answer[1]}
    if not isinstance(answer, Mapping):
        answer = {"score": answer}
    return {"output": output, **answer}


def _traced(record: Record, tracer: Tracer) -> Record:
    """The record with what led to the output, or to the error where there is none."""
    return replace(record, trace=subgraph(tracer.result))


async def _awaited(made: Awaitable[Record], tracer: Tracer) -> Record:
    return _traced(await made, tracer)


def _by_name(parameters: Any) -> dict[str, Parameter]:
    if not isinstance(parameters, Sequence) or not parameters:
        raise InputError("a program needs parameters: a list of what parameter(name, value) gave")
    found: dict[str, Parameter] = {}
    for one in parameters:
        if not isinstance(one, Parameter):
            raise InputError(f"{shown(one)} is no parameter: make it with parameter(name, value)")
        if one.name in found:
            raise InputError(f"two parameters are named {one.name!r}. Names must differ.")
        found[one.name] = one
    return found
