"""What a run is about: examples, how a candidate is executed on one, and who judges."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Example
from optimand.core.record import Judgement, Record

__all__ = ["Judge", "PairJudge", "ScoreJudge", "Task", "most_steps"]


@runtime_checkable
class ScoreJudge(Protocol):
    """Scores one output in [0, 1].

    Contract: `fingerprint` changes whenever the judge would judge differently. `score` may be
    sync or async, must not raise for a bad output (that is a low score, with feedback), and depends
    on its arguments alone.
    """

    name: str
    kind: Literal["score"]

    def fingerprint(self) -> str: ...

    def score(
        self, example: Example, record: Record, seed: int
    ) -> Judgement | Awaitable[Judgement]: ...


@runtime_checkable
class PairJudge(Protocol):
    """Says which of two outputs is better: value 1 = a, 0 = b, 0.5 = tie.

    Contract as for ScoreJudge. The caller does not shuffle: a judge that can be swayed by the
    order must draw the order from `seed` itself. A judge with `needs_outputs` False is asked
    without executing the candidates first (a simulated or an online duel); its records then hold
    the candidates' ids only.
    """

    name: str
    kind: Literal["pair"]
    needs_outputs: bool

    def fingerprint(self) -> str: ...

    def compare(
        self, example: Example, a: Record, b: Record, seed: int
    ) -> Judgement | Awaitable[Judgement]: ...


Judge = ScoreJudge | PairJudge


@runtime_checkable
class Task(Protocol):
    """A subject for pick and improve.

    `splits` maps "train", "val", "test" or "all" to examples. `population` says whether the
    examples are all that matters ("whole") or a sample of what will come ("sample"). `width` is how
    many executions to keep in flight. With `judge` None, `execute` returns scored records.

    Contract of `execute`: sync or async; never raises for what a candidate does (that is a
    status); depends on its arguments alone. `check` returns complaints about an artifact before
    anything is spent; empty means fine.

    A task of simulated environments counts their steps in the records' `usage.steps`, and may have
    an attribute `steps_per_run`, the most that one execution takes: that many are reserved before
    each, so that a budget of steps is never passed. Without it the mean so far is expected.
    """

    name: str
    splits: Mapping[str, Sequence[Example]]
    population: Literal["whole", "sample"]
    width: int
    judge: Judge | None

    def fingerprint(self) -> str: ...

    def check(self, artifact: Artifact) -> list[str]: ...

    def execute(
        self, candidate: Candidate, example: Example, seed: int
    ) -> Record | Awaitable[Record]: ...

    async def close(self) -> None: ...


def most_steps(task: Task) -> int:
    """The most environment steps of one execution, 0 where the task does not say."""
    most: int = getattr(task, "steps_per_run", 0)
    return most
