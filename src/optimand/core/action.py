"""What a strategy may ask for, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from optimand.core.artifact import Candidate
from optimand.core.example import Example
from optimand.core.record import Comparison, Record
from optimand.core.verdict import Verdict

if TYPE_CHECKING:
    from optimand.core.run import Run

__all__ = ["Action", "Compare", "Outcome", "Rollout", "Steps", "Strategy", "Work"]


@dataclass(frozen=True, slots=True)
class Rollout:
    """Run every candidate on every example; records come back in that order, examples outermost."""

    candidates: tuple[Candidate, ...]
    examples: tuple[Example, ...]
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare candidates `a` and `b` on one example."""

    a: Candidate
    b: Candidate
    example: Example
    repeat: int = 0


@runtime_checkable
class Work(Protocol):
    """Anything larger that goes through the run's doors, such as one step of a search.

    `weight` is how many executions it asks for, at most. `perform` may be cancelled at any await.
    """

    weight: int

    async def perform(self, run: Run) -> Outcome: ...


Action = Rollout | Compare | Work


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to `action`: its records, its comparison, or the `result` of its work.

    With a comparison come the executions of its two candidates, a's first.
    """

    action: Action
    records: tuple[Record, ...] = ()
    comparison: Comparison | None = None
    result: Any = None


Steps = Generator[Action | None, Outcome | None, Verdict]
"""A strategy at work. It yields an action, or None for "nothing to start until something
finishes"; it is sent an outcome, or None for "room for one more". `Stopped` is thrown into it when
the run must end; it then returns what it knows."""


class Strategy(Protocol):
    """Decides what to run next and when to stop.

    With `ordered` True outcomes arrive in the order their actions were started, so that a run
    does not depend on timing; with False as they finish, in an order that the log keeps. One that
    gives a candidate up at a level of evidence may say so, for displays and reports, in a method
    `stopping_line(arms) -> float | None` (nats, for so many candidates).
    """

    @property
    def name(self) -> str: ...

    @property
    def ordered(self) -> bool: ...

    def __call__(self, run: Run) -> Steps: ...


Observer = Callable[[Verdict, "Run"], None]
"""Called now and then with the state of the run, on the run's own thread."""
