"""Gates: whether a proposal goes on, judged against its parent or the best so far."""

from __future__ import annotations

from collections.abc import Callable

from optimand.core.proposal import Context, Evidence, Trial
from optimand.core.record import Record

__all__ = ["Gate", "anything", "beats_best", "beats_parent", "no_worse"]

Gate = Callable[[Context, Evidence, Trial, str], str]
"""Says why a proposal stops here, given the split it has just run on ("batch" is the evidence's
examples); "" lets it pass."""


def anything(context: Context, evidence: Evidence, trial: Trial, split: str) -> str:  # noqa: ARG001
    """Always passes."""
    return ""


def beats_parent(context: Context, evidence: Evidence, trial: Trial, split: str) -> str:
    """The sum of scores is strictly higher than the first parent's on the same examples."""
    mine, theirs = _matched(trial.records.get(split, ()), _parents(context, evidence, split))
    return "" if mine > theirs else f"no better than its parent on {split} ({mine:g}, {theirs:g})"


def no_worse(context: Context, evidence: Evidence, trial: Trial, split: str) -> str:
    """The sum of scores is at least the first parent's on the same examples."""
    mine, theirs = _matched(trial.records.get(split, ()), _parents(context, evidence, split))
    return "" if mine >= theirs else f"worse than its parent on {split} ({mine:g}, {theirs:g})"


def beats_best(*, strict: bool = True) -> Gate:
    """The mean is higher than that of the best so far (or as high, unless strict)."""

    def gate(context: Context, evidence: Evidence, trial: Trial, split: str) -> str:  # noqa: ARG001
        best = context.memory.value(context.memory.best(split), split)
        mine = trial.score(split)
        fine = mine > best if strict else mine >= best
        return "" if fine else f"no better than the best so far ({mine:.3f}, {best:.3f})"

    return gate


def _parents(context: Context, evidence: Evidence, split: str) -> tuple[Record, ...]:
    parent = evidence.parents[0]
    if split == "batch":
        return evidence.of(parent)
    return tuple(context.memory.records(parent, split))


def _matched(mine: tuple[Record, ...], theirs: tuple[Record, ...]) -> tuple[float, float]:
    """Sums over the examples that both ran and whose service did not fail."""
    ours = {r.example: r.score for r in mine if r.score is not None and r.status != "unknown"}
    other = {r.example: r.score for r in theirs if r.score is not None and r.status != "unknown"}
    both = ours.keys() & other.keys()
    return sum(ours[e] for e in both), sum(other[e] for e in both)
