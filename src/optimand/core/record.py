"""What a run observes: executions, judgements, comparisons and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = ["Comparison", "Judgement", "Record", "Status", "Usage"]

Status = Literal["ok", "invalid", "crash", "timeout", "unknown"]
"""ok: as planned. invalid: the candidate's output breaks the rules. crash, timeout: the candidate
failed. unknown: the service failed; this says nothing about the candidate and is never a loss."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent. `usd` is the known part; `unpriced` counts calls whose price is unknown.

    `steps` are those taken in simulated environments.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    steps: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.usd + other.usd,
            self.unpriced + other.unpriced,
            self.steps + other.steps,
        )

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens


NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Record:
    """One execution of a candidate on an example: `repeat` numbers the draws of the same pair.

    `score` is in [0, 1], or None where only comparisons judge the output.
    """

    candidate: str
    example: str
    repeat: int = 0
    score: float | None = None
    output: Any = None
    feedback: str = ""
    objectives: Mapping[str, float] = field(default_factory=dict)
    trace: Any = None
    usage: Usage = NOTHING
    seconds: float = 0.0
    status: Status = "ok"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's answer: `value` in [0, 1] is a score, or for a pair 1 = first better, 0.5 = tie.

    `value` is None only if `status` is "unknown" (the service failed) or "invalid" (its answer
    could not be read): no judgement, and never a loss. `details` feeds the consistency readout.
    """

    value: float | None
    feedback: str = ""
    usage: Usage = NOTHING
    status: Status = "ok"
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate `a` against candidate `b` on one example: `outcome` 1 = a better, 0.5 = tie."""

    a: str
    b: str
    example: str
    repeat: int = 0
    outcome: float | None = None
    feedback: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = NOTHING
    seconds: float = 0.0
    status: Status = "ok"

    def swapped(self) -> Comparison:
        """The same of `b` against `a`."""
        outcome = None if self.outcome is None else 1.0 - self.outcome
        return replace(self, a=self.b, b=self.a, outcome=outcome)
