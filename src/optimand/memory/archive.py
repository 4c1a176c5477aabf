"""The archive of a search: every candidate with its records, and plain views of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from optimand.core.artifact import Candidate
from optimand.core.failed_runs import FailedRuns
from optimand.core.proposal import Step, Trial
from optimand.core.record import Record

__all__ = ["Final", "Memory", "ranked_on"]

Final = Literal["val", "train", "last"]
"""Which candidates are a search's result: of highest mean on a split, or the one kept last."""


def ranked_on(final: Final) -> str:
    """The split on whose means the candidates of such a search are ranked."""
    return "val" if final == "val" else "train"


class Memory:
    """What a search knows.

    pool: accepted candidates by id, oldest first. known: these and the rejected ones.
    rejected: trials that were not kept, with reasons. steps: how many were taken. failed: counts of
    the executions that failed.
    """

    def __init__(self, start: Candidate) -> None:
        self.start = start
        self.pool: dict[str, Candidate] = {start.id: start}
        self.known: dict[str, Candidate] = {start.id: start}
        self.rejected: list[Trial] = []
        self.steps = 0
        self._last = start.id
        self._records: defaultdict[tuple[str, str], dict[tuple[str, int], Record]]
        self._records = defaultdict(dict)
        self._means: dict[tuple[str, str], float] = {}
        self._tops: dict[str, dict[str, tuple[float, set[str]]]] = {}
        self.failed = FailedRuns()

    def observe(self, records: Iterable[Record], split: str) -> None:
        """Keep records; those whose service failed say nothing and are left out."""
        self._tops.setdefault(split, {})
        for record in records:
            place, key = (record.candidate, split), (record.example, record.repeat)
            if key not in self._records[place]:
                self.failed.take((record,))
            if record.status != "unknown" and record.score is not None:
                self._records[place][key] = record
                self._means.pop(place, None)
                if record.candidate in self.pool:
                    self._rank(record, split)

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
                self._accept(candidate)
            elif trial.why:
                self.rejected.append(trial)

    def _accept(self, candidate: Candidate) -> None:
        self._last = candidate.id
        if candidate.id in self.pool:
            return
        self.pool[candidate.id] = candidate
        for split in self._tops:
            for record in self.records(candidate, split):
                self._rank(record, split)

    def _rank(self, record: Record, split: str) -> None:
        """Keep who is best on each example, so that a long search need not look at all again."""
        score, tops = record.score or 0.0, self._tops[split]
        high, ids = tops.get(record.example, (-1.0, set()))
        if score > high:
            tops[record.example] = score, {record.candidate}
        elif score == high:
            ids.add(record.candidate)

    def records(self, candidate: Candidate, split: str = "val") -> list[Record]:
        """All records of a candidate on a split, in the order made."""
        return list(self._records[candidate.id, split].values())

    def best_on(self, split: str = "val") -> dict[str, set[str]]:
        """For each example the ids of the accepted candidates with the highest score on it."""
        return {example: set(ids) for example, (_, ids) in self._tops.get(split, {}).items()}

    def value(self, candidate: Candidate, split: str = "val") -> float:
        """Mean score on a split; -inf where it never ran."""
        place = candidate.id, split
        if place not in self._means:
            scores = [r.score for r in self._records[place].values() if r.score is not None]
            self._means[place] = sum(scores) / len(scores) if scores else -math.inf
        return self._means[place]

    @property
    def runs(self) -> int:
        """How many records there are."""
        return sum(map(len, self._records.values()))

    def finalists(self, count: int, view: Final = "val") -> list[Candidate]:
        """Candidates that look better than the start, best first: by mean, or the one kept last."""
        if view == "last":
            last = self.pool[self._last]
            return [] if last.id == self.start.id else [last]
        least = self.value(self.start, view)
        return [c for c in self.top(count + 1, view) if self.value(c, view) > least][:count]

    def top(self, count: int = 1, split: str = "val") -> list[Candidate]:
        """The accepted candidates with the highest value, best first; the older wins a tie."""
        ranked = sorted(self.pool.values(), key=lambda c: -self.value(c, split))
        return ranked[:count]

    def best(self, split: str = "val") -> Candidate:
        """The first of `top`."""
        return self.top(1, split)[0]
