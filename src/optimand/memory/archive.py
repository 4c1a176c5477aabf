"""The archive of a search: every candidate with its records, and plain views of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from optimand.core.artifact import Candidate
from optimand.core.proposal import Step, Trial
from optimand.core.record import Record

__all__ = ["Memory"]


class Memory:
    """What a search knows.

    pool: accepted candidates by id, oldest first. known: these and the rejected ones.
    rejected: trials that were not kept, with reasons. steps: how many were taken.
    """

    def __init__(self, start: Candidate) -> None:
        self.start = start
        self.pool: dict[str, Candidate] = {start.id: start}
        self.known: dict[str, Candidate] = {start.id: start}
        self.rejected: list[Trial] = []
        self.steps = 0
        self._records: defaultdict[tuple[str, str], dict[tuple[str, int], Record]]
        self._records = defaultdict(dict)

    def observe(self, records: Iterable[Record], split: str) -> None:
        """Keep records; those whose service failed say nothing and are left out."""
        for record in records:
            if record.status != "unknown" and record.score is not None:
                place = self._records[record.candidate, split]
                place[record.example, record.repeat] = record

    def retain(self, step: Step) -> None:
        """Take in what a step found."""
        self.steps += 1
        self.observe(step.evidence.records, step.evidence.split)
        for trial in step.trials:
            for split, records in trial.records.items():
                self.observe(records, step.evidence.split if split == "batch" else split)
            candidate = trial.candidate
            if candidate is not None:
                self.known.setdefault(candidate.id, candidate)
            if candidate is not None and trial.accepted:
                self.pool.setdefault(candidate.id, candidate)
            else:
                self.rejected.append(trial)

    def records(self, candidate: Candidate, split: str = "val") -> list[Record]:
        """All records of a candidate on a split, in the order made."""
        return list(self._records[candidate.id, split].values())

    def value(self, candidate: Candidate, split: str = "val") -> float:
        """Mean score on a split; -inf where it never ran."""
        scores = [r.score for r in self.records(candidate, split) if r.score is not None]
        return sum(scores) / len(scores) if scores else -math.inf

    @property
    def runs(self) -> int:
        """How many records there are."""
        return sum(map(len, self._records.values()))

    def top(self, count: int = 1, split: str = "val") -> list[Candidate]:
        """The accepted candidates with the highest value, best first; the older wins a tie."""
        ranked = sorted(self.pool.values(), key=lambda c: -self.value(c, split))
        return ranked[:count]

    def best(self, split: str = "val") -> Candidate:
        """The first of `top`."""
        return self.top(1, split)[0]
