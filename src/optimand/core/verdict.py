"""What a run concludes, and what it would conclude if it ended now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["FIXED", "Standing", "Verdict"]

FIXED = "fixed budget"
"""The reason of a run that ended because all that it was to make is made."""


@dataclass(frozen=True)
class Standing:
    """One candidate's place.

    `estimate`, `low`, `high`: mean score, or win rate against the leader (whose own is 0.5 by
    definition, see `Verdict.is_reference`), with an interval; all candidates' intervals hold
    together, at any stopping time. `evidence`: natural log of the
    e-process against "this one is best"; the candidate is out when it reaches ln(1/delta), and inf
    means that it is certainly not the best (on a population that was seen whole, or as good as
    whole). `runs`: executions or comparisons.
    """

    candidate: str
    rank: int
    estimate: float
    low: float
    high: float
    runs: int
    evidence: float
    alive: bool
    beaten_by: str | None = None

    @property
    def certain(self) -> bool:
        """Whether it is not the best for sure, with no probability of an error."""
        return self.evidence == math.inf


@dataclass(frozen=True)
class Verdict:
    """The answer, with what it rests on.

    `reason`: separated, indifferent (within the stated margin), tied (equal on the whole
    population), cycle (no candidate beats all others), budget, exhausted (no examples left), fixed
    budget (all is made that was to be), unavailable, interrupted, running.
    `confidence`: anytime-valid, 1 - 1/min evidence of rivals.
    `least`: estimated lower bound on the comparisons any method needs at this confidence;
    `equal`: estimated number when all candidates, or all pairs, are tested equally;
    `remaining`: estimated number still needed.
    `history`: evidence over time, {"at": [...], candidate id: [...]}.
    `baseline`: id of the candidate that is kept unless another is proven better, None without one;
    `best` of an undecided run is then the strongest one proven better, else the baseline. `gain`:
    {estimate, low, high, proven} of `best` over it, in score, or in win rate above one half.
    `carried`: {study, used, unit, evidence} of the earlier study that this one went on from, None
    without one; `evidence` says whether its evidence counts, or only guides. `used`, the estimates
    and their intervals are of this study alone.
    `failures`: {runs, status: {status: count}, error: the commonest text} of the executions that
    the verdict rests on, and {comparisons, unjudged}; empty where none failed (core.failed_runs).
    """

    decided: bool
    best: str | None
    reason: str
    detail: str = ""
    confidence: float = 0.0
    standings: tuple[Standing, ...] = ()
    unresolved: tuple[str, ...] = ()
    unit: str = "comparisons"
    used: int = 0
    least: float | None = None
    equal: float | None = None
    remaining: float | None = None
    measure: str = "score"
    history: Mapping[str, list[float]] = field(default_factory=dict)
    wins: Mapping[str, Any] = field(default_factory=dict)
    baseline: str | None = None
    gain: Mapping[str, Any] | None = None
    carried: Mapping[str, Any] | None = None
    failures: Mapping[str, Any] = field(default_factory=dict)

    def is_reference(self, standing: Standing) -> bool:
        """Whether win rates are against this candidate: its own is 0.5 by definition, not seen."""
        return self.measure != "score" and standing.rank == 1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; evidence of inf (certain) becomes None."""
        found = asdict(self)
        for standing in found["standings"]:
            standing["evidence"] = _or_none(standing["evidence"])
        found["history"] = {k: [_or_none(v) for v in vs] for k, vs in self.history.items()}
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_json`; fields that this version does not know are left out."""
        known = {k: v for k, v in data.items() if k in cls.__dataclass_fields__}
        known["standings"] = tuple(
            Standing(**{**s, "evidence": _or_inf(s["evidence"])})
            for s in known.get("standings", ())
        )
        known["unresolved"] = tuple(known.get("unresolved", ()))
        series = known.get("history", {}).items()
        known["history"] = {name: [_or_inf(v) for v in values] for name, values in series}
        return cls(**known)


def _or_none(value: float) -> float | None:
    """JSON has no inf."""
    return None if value == math.inf else value


def _or_inf(value: float | None) -> float:
    return math.inf if value is None else value
