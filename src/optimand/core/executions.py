"""A log's executions with the scores that they were given, and the steps that all of it took."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from optimand.core.codec import unpack
from optimand.core.keys import judge_key, score_key
from optimand.core.record import Comparison, Judgement, Record
from optimand.core.store import Journal

__all__ = ["executions", "steps_taken"]


def executions(journal: Journal, judge: str | None) -> Iterator[tuple[Record, Judgement | None]]:
    """Every execution, in order, and the score that the judge with this fingerprint gave it.

    A score is logged after its execution, so the log is read twice.
    """
    scores = {e.key: unpack(Judgement, e.body) for e in journal.events(("score",))}
    judged_by = judge_key(judge)
    for event in journal.events(("rollout",)):
        yield unpack(Record, event.body), scores.get(score_key(event.key, judged_by))


def steps_taken(journal: Journal) -> int:
    """All environment steps that a log tells of."""
    ran = (unpack(Record, e.body).usage for e in journal.events(("rollout",)))
    scored = (unpack(Judgement, e.body).usage for e in journal.events(("score",)))
    compared = (unpack(Comparison, e.body).usage for e in journal.events(("comparison",)))
    return sum(usage.steps for usage in chain(ran, scored, compared))
