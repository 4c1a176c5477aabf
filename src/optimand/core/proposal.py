"""One step of a search: query for evidence, propose candidates, evaluate them.

The parts of a method are functions of these types. They go through the doors of `Context.run`, so
that everything is metered, logged and resumed by the engine; they never raise for what a model or
a candidate does: that is a Trial with a reason.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from optimand.core.artifact import Candidate
from optimand.core.example import Example
from optimand.core.keys import seed_from
from optimand.core.record import Record

if TYPE_CHECKING:
    from optimand.core.run import Run

__all__ = [
    "Context",
    "Evaluate",
    "Evidence",
    "Operator",
    "Propose",
    "Query",
    "Runs",
    "Search",
    "Step",
    "Trial",
]


@dataclass(frozen=True)
class Trial:
    """A proposal and what became of it.

    `candidate` is None where a reply could not be read or broke a rule; `why` says so. `records`
    are by split. `accepted`: kept in the memory's pool. `meta` is the operator's own, for the
    method that reads the result.
    """

    candidate: Candidate | None
    accepted: bool = True
    why: str = ""
    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def score(self, split: str = "val") -> float:
        """Mean score on `split`; -inf where it was not run there."""
        scores = [r.score for r in self.records.get(split, ()) if r.score is not None]
        return sum(scores) / len(scores) if scores else float("-inf")


@dataclass(frozen=True)
class Evidence:
    """What a proposer is shown: parents run on examples of one split, and blocks of text.

    Only the split "train" may feed blocks with outputs, targets or feedback.
    """

    parents: tuple[Candidate, ...] = ()
    split: str = ""
    examples: tuple[Example, ...] = ()
    records: tuple[Record, ...] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)

    def of(self, parent: Candidate) -> tuple[Record, ...]:
        """The records of one parent."""
        return tuple(r for r in self.records if r.candidate == parent.id)


@dataclass(frozen=True)
class Propose:
    """An action of a search: make `width` proposals from `parents` and evaluate them."""

    operator: Operator
    parents: tuple[Candidate, ...]
    evaluate: Evaluate
    query: Query | None = None
    width: int = 1
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """A Propose carried out."""

    action: Propose
    evidence: Evidence
    trials: tuple[Trial, ...]

    @property
    def accepted(self) -> tuple[Candidate, ...]:
        """The candidates that were kept, in order."""
        return tuple(t.candidate for t in self.trials if t.accepted and t.candidate is not None)


@dataclass(frozen=True)
class Context:
    """Where a step happens.

    `memory` is the search's (see `optimand.memory.archive`), `rng` this step's own; `number` counts
    steps from 0. `surface` says what may change (see `optimand.artifacts.surface`).
    """

    run: Run
    memory: Any
    surface: Any
    action: Propose
    number: int
    rng: random.Random

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that this step may change: all, or those that its action names."""
        return tuple(self.action.params.get("parts") or self.surface.names)

    def narrowed(self, **changes: Any) -> Context:
        """The same step with other fields of its action; `parts` names what it may change."""
        parts = changes.pop("parts", None)
        if parts is not None:
            changes["params"] = {**self.action.params, "parts": parts}
        return replace(self, action=replace(self.action, **changes))


@dataclass(frozen=True)
class Problem:
    """What a method is given: the search's memory, what may change, the task, and a seed."""

    memory: Any
    surface: Any
    task: Any
    seed: int

    def rng(self, name: str) -> random.Random:
        """A generator of its own for each use, the same in every process."""
        return random.Random(seed_from(self.seed, name))


Query = Callable[[Context], Awaitable[Evidence]]
Operator = Callable[[Context, Evidence], Awaitable[list[Trial]]]
Evaluate = Callable[[Context, Evidence, list[Trial]], Awaitable[list[Trial]]]
Runs = Callable[[Context, Evidence, list[Trial], Sequence[Example]], Awaitable[list[Trial]]]
"""Runs the accepted trials on examples; their records are then those of the split "train"."""
Search = Generator[Propose, Step, None]
"""A method at work: yields proposals to make, is sent what became of them."""
