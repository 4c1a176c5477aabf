"""Examples on which the two best differ, for reading side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimand.core.record import Comparison
from optimand.core.store import Journal
from optimand.core.verdict import Verdict
from optimand.report.asked import inputs_and_targets
from optimand.report.calls import Calls, Output
from optimand.report.text import shown

__all__ = ["Case", "Differences", "find_differences", "top_two"]

SHOWN = 10
FEWER = 4
"""At most so many of the SHOWN examples are those on which the better candidate loses, unless there
are not enough others."""


@dataclass(frozen=True)
class Case:
    """One example: `gap` in [-1, 1] is above 0 where the first candidate did better.

    `reason` is what the judge said of the pair. Texts are visible and clipped; None means that
    the log does not hold it.
    """

    example: str
    gap: float
    first: Output | None
    second: Output | None
    reason: str = ""
    input: tuple[str, int] | None = None
    target: tuple[str, int] | None = None

    @property
    def readable(self) -> bool:
        """Whether there is something to read."""
        return bool(self.input or self.reason or (self.first and self.second))


@dataclass(frozen=True)
class Differences:
    """How often the first of two candidates did better, worse and the same, with some cases."""

    first: str
    second: str
    better: int
    worse: int
    equal: int
    cases: tuple[Case, ...]


def top_two(verdict: Verdict | None) -> tuple[str, ...]:
    """The two candidates a reader wants to compare: the leader and the closest to it."""
    ranked = [s.candidate for s in verdict.standings] if verdict else []
    unresolved = [c for c in ranked if verdict and c in verdict.unresolved]
    if verdict and not verdict.decided and len(unresolved) >= 2:
        return tuple(unresolved[:2])
    return tuple(ranked[:2])


def find_differences(
    journal: Journal, calls: Calls, pair: tuple[str, ...], names: Mapping[str, str]
) -> Differences | None:
    """The differences of a pair; None where they never met on an example."""
    if len(pair) != 2:
        return None
    cases = _compared(calls, pair, names) if calls.duels else _scored(calls, pair)
    if not cases:
        return None
    better = [case for case in cases if case.gap > 0]
    worse = [case for case in cases if case.gap < 0]
    chosen = _chosen(better, worse)
    known = inputs_and_targets(journal, {case.example for case in chosen})
    filled = tuple(case for c in chosen if (case := _filled(c, known.get(c.example))).readable)
    equal = len(cases) - len(better) - len(worse)
    return Differences(pair[0], pair[1], len(better), len(worse), equal, filled)


def _scored(calls: Calls, pair: tuple[str, ...]) -> list[Case]:
    cases = []
    for (candidate, example), first in calls.outputs.items():
        second = calls.outputs.get((pair[1], example))
        if candidate != pair[0] or second is None:
            continue
        if first.score is not None and second.score is not None:
            cases.append(Case(example, first.score - second.score, first, second))
    return cases


def _compared(calls: Calls, pair: tuple[str, ...], names: Mapping[str, str]) -> list[Case]:
    cases = []
    for duel in calls.duels:
        if duel.outcome is None:
            continue
        first, second = (calls.outputs.get((c, duel.example)) for c in pair)
        gap = _gap(duel, pair[0])
        cases.append(Case(duel.example, gap, first, second, _said(duel.feedback, names)))
    return cases


def _gap(duel: Comparison, first: str) -> float:
    assert duel.outcome is not None
    gap = 2.0 * duel.outcome - 1.0
    return gap if duel.a == first else -gap


def _said(feedback: str, names: Mapping[str, str]) -> str:
    for candidate, name in names.items():
        feedback = feedback.replace(candidate, name)
    return shown(feedback)[0]


def _chosen(better: list[Case], worse: list[Case]) -> list[Case]:
    """Cases of both kinds, the clearest first; sorting is stable, so that the choice is too."""
    better, worse = (sorted(cases, key=lambda c: -abs(c.gap)) for cases in (better, worse))
    losses = worse[: max(FEWER, SHOWN - len(better))]
    return better[: SHOWN - len(losses)] + losses


def _filled(case: Case, known: tuple[Any, Any] | None) -> Case:
    if known is None:
        return case
    value, target = known
    single = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    return Case(
        case.example,
        case.gap,
        case.first,
        case.second,
        case.reason,
        shown(single),
        None if target is None else shown(_accepted(target)),
    )


def _accepted(target: Any) -> Any:
    """A list of accepted texts as a reader wants it: one after the other."""
    if isinstance(target, list) and all(isinstance(part, str) for part in target):
        return " or ".join(target)
    return target
