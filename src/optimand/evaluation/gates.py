"""Gates: whether a proposal goes on, judged against its parent or the best so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from optimand.core.proposal import Context, Evidence, Trial
from optimand.core.record import Record

__all__ = [
    "Gate",
    "above",
    "anything",
    "as_good_as_best",
    "as_good_as_parent",
    "beats_best",
    "beats_parent",
]

Gate = Callable[[Context, Evidence, Trial], str]
"""Says why a proposal that has run a stage stops there; "" lets it pass."""


def anything(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
    """Always passes."""
    return ""


def beats_parent(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
    """On the batch the sum of scores is strictly higher than the first parent's."""
    mine = _scores(trial.records.get("batch", ()))
    parents = _scores(evidence.of(evidence.parents[0]))
    both = mine.keys() & parents.keys()  # a failed service says nothing
    ours, theirs = sum(mine[e] for e in both), sum(parents[e] for e in both)
    return "" if ours > theirs else f"no better than its parent on the batch ({ours:g}, {theirs:g})"


def as_good_as_best(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
    """The mean on "val" is at least that of the best so far."""
    best, mine = context.memory.value(context.memory.best()), trial.score()
    return "" if mine >= best else f"not as good as the best so far ({mine:.3f}, {best:.3f})"


def beats_best(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
    """The mean on "val" is strictly above that of the best so far."""
    best, mine = context.memory.value(context.memory.best()), trial.score()
    return "" if mine > best else f"no better than the best so far ({mine:.3f}, {best:.3f})"


def above(mark: float) -> Gate:
    """The mean on "val" is strictly above `mark`."""

    def gate(context: Context, evidence: Evidence, trial: Trial) -> str:  # noqa: ARG001
        mine = trial.score()
        return "" if mine > mark else f"not above the mark to beat ({mine:.3f}, {mark:.3f})"

    return gate


def as_good_as_parent(context: Context, evidence: Evidence, trial: Trial) -> str:
    """The mean on "val" is at least that of the first parent."""
    parent, mine = context.memory.value(evidence.parents[0]), trial.score()
    return "" if mine >= parent else f"not as good as its parent ({mine:.3f}, {parent:.3f})"


def _scores(records: Sequence[Record]) -> dict[str, float]:
    return {r.example: r.score for r in records if r.score is not None and r.status != "unknown"}
