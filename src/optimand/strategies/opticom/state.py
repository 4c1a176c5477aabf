"""What a controller sees of a search, and what is learnt of its operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from optimand.core.record import Record
from optimand.memory.archive import Memory

__all__ = ["State", "Tally", "look_at"]

Phase = Literal["feasibility", "repair", "improvement", "polishing"]
UNRELIABLE = 0.1
"""Share of an incumbent's runs that may fail."""
SHOWN = 5


@dataclass
class Tally:
    """How an operator has done: tries and successes in steps, and the gain on "val" in all."""

    tries: int = 0
    successes: int = 0
    gain: float = 0.0

    @property
    def mean(self) -> float:
        """Mean gain of a step, with one more step that gains nothing."""
        return self.gain / (self.tries + 1)


@dataclass(frozen=True)
class State:
    """The state summary (OptiCom).

    value: the incumbent's mean on "val"; failing: share of its runs that did not end well; stalled:
    steps since the last gain; errors: the commonest feedback of its failures on "train"; drafts:
    proposals not run on "val" yet; recurring: whether the commonest failure outlived three steps.
    """

    value: float
    failing: float
    stalled: int
    errors: tuple[str, ...]
    pool: int
    drafts: int
    cold: bool
    recurring: bool
    tallies: Mapping[str, Tally] = field(default_factory=dict)

    @property
    def phase(self) -> Phase:
        """Feasibility, repair, improvement, polishing."""
        if self.failing >= 1.0:
            return "feasibility"
        if self.failing > UNRELIABLE or self.value < 0.5:
            return "repair"
        return "polishing" if self.value > 0.95 else "improvement"

    def text(self) -> str:
        """As lines for a model."""
        lines = [
            f"phase: {self.phase}",
            f"incumbent: mean score {self.value:.3f} on validation examples, "
            f"{self.failing:.0%} of its runs failed",
            f"steps since the last gain: {self.stalled}",
            f"candidates kept: {self.pool}; drafts not yet validated: {self.drafts}",
        ]
        lines += [f"open error: {error}" for error in self.errors]
        lines += [
            f"operator {name}: {t.tries} steps, {t.successes} with a gain, mean gain {t.mean:+.3f}"
            for name, t in self.tallies.items()
            if t.tries
        ]
        return "\n".join(lines)


def look_at(
    memory: Memory, stalled: int, drafts: int, tallies: Mapping[str, Tally], seen: Counter[str]
) -> State:
    """The state of a search now. `seen` counts in how many steps each error was the commonest."""
    best = memory.best()
    records = memory.records(best)
    failed = sum(r.status != "ok" for r in records)
    errors = _errors(memory.records(best, "train"))
    return State(
        memory.value(best),
        failed / len(records) if records else 0.0,
        stalled,
        errors,
        len(memory.pool),
        drafts,
        memory.steps == 0,
        bool(errors) and seen[errors[0]] >= 3,
        dict(tallies),
    )


def _errors(records: list[Record]) -> tuple[str, ...]:
    texts = [r.feedback[:120] for r in records if r.feedback and (r.score or 0.0) < 1.0]
    return tuple(text for text, _ in Counter(texts).most_common(SHOWN))
