"""What the calls of a study say: what was spent, what failed, where the two best differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimand.core.codec import unpack
from optimand.core.keys import judge_key, score_key
from optimand.core.ledger import totals
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record, Usage
from optimand.core.store import Event, Journal
from optimand.report.text import LIMIT, shown

__all__ = ["Calls", "Output", "read_calls"]

_DOORS = ("rollout", "score", "comparison", "ask")


@dataclass(frozen=True)
class Output:
    """What one candidate did on one example; texts are visible and clipped, `more` counts the rest.

    `score` is None where only comparisons judge.
    """

    text: str
    more: int
    score: float | None
    feedback: str
    status: str


@dataclass
class Calls:
    """`usage` and `counts` by door; `failures` by candidate and status; `details` of judgements.

    `outputs` and `duels` hold what concerns the pair asked for: (candidate, example) to output,
    and the comparisons between the two, in the order of the log.
    """

    usage: dict[str, Usage] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Counter[str]] = field(default_factory=dict)
    details: list[Mapping[str, Any]] = field(default_factory=list)
    outputs: dict[tuple[str, str], Output] = field(default_factory=dict)
    duels: list[Comparison] = field(default_factory=list)

    @property
    def total(self) -> Usage:
        """All usage together."""
        return sum(self.usage.values(), Usage())

    @property
    def judged(self) -> int:
        """The model calls that the judge made."""
        return sum(self.usage[door].calls for door in ("score", "comparison") if door in self.usage)

    def spent(self, seconds: float) -> dict[str, float]:
        """See `core.ledger.totals`."""
        return totals(self.total, self.counts, seconds)


def read_calls(journal: Journal, judge: str | None, pair: tuple[str, ...] = ()) -> Calls:
    """Every paid call of a study, added up; `pair` are the candidates to look at closely.

    `judge`: the judge's fingerprint, which ties a score to the execution it scores.
    """
    calls, judged_by = Calls(), judge_key(judge)
    waiting: dict[str, Record] = {}
    for event in journal.events(_DOORS):
        if event.kind == "rollout":
            record = _rollout(calls, event)
            if record.candidate in pair:
                waiting[score_key(event.key, judged_by)] = record
                calls.outputs[record.candidate, record.example] = _output(record)
        elif event.kind == "score":
            judgement = unpack(Judgement, event.body)
            _count(calls, event.kind, judgement.usage, judgement.details)
            scored = waiting.get(event.key)
            if scored is not None:
                calls.outputs[scored.candidate, scored.example] = _output(scored, judgement)
        elif event.kind == "comparison":
            comparison = unpack(Comparison, event.body)
            _count(calls, event.kind, comparison.usage, comparison.details)
            if len(pair) == 2 and {comparison.a, comparison.b} == set(pair):
                calls.duels.append(comparison)
        else:
            _count(calls, event.kind, unpack(Reply, event.body).usage, {})
    return calls


def _count(calls: Calls, door: str, usage: Usage, details: Mapping[str, Any]) -> None:
    calls.usage[door] = calls.usage.get(door, Usage()) + usage
    calls.counts[door] += 1
    if details:
        calls.details.append(details)


def _rollout(calls: Calls, event: Event) -> Record:
    record = unpack(Record, event.body)
    _count(calls, event.kind, record.usage, {})
    if record.status != "ok":
        calls.failures.setdefault(record.candidate, Counter())[record.status] += 1
    return record


def _output(record: Record, judgement: Judgement | None = None) -> Output:
    text, more = shown(record.output, LIMIT)
    score, said = record.score, record.feedback
    if judgement is not None:
        score, said = judgement.value, judgement.feedback or record.feedback
    return Output(text, more, score, shown(said, LIMIT)[0], record.status)
