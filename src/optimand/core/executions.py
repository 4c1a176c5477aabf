"""A log's executions with the scores that they were given."""

from __future__ import annotations

from collections.abc import Iterator

from optimand.core.codec import unpack
from optimand.core.keys import judge_key, score_key
from optimand.core.record import Judgement, Record
from optimand.core.store import Journal

__all__ = ["executions"]


def executions(journal: Journal, judge: str | None) -> Iterator[tuple[Record, Judgement | None]]:
    """Every execution, in order, and the score that the judge with this fingerprint gave it.

    A score is logged after its execution, so the log is read twice.
    """
    scores = {e.key: unpack(Judgement, e.body) for e in journal.events(("score",))}
    judged_by = judge_key(judge)
    for event in journal.events(("rollout",)):
        yield unpack(Record, event.body), scores.get(score_key(event.key, judged_by))
