"""What a run concludes, and what it would conclude if it ended now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Standing", "Verdict"]


@dataclass(frozen=True)
class Standing:
    """One candidate's place.

    `estimate`, `low`, `high`: mean score, or win rate against the leader, with an interval; all
    candidates' intervals hold together, at any stopping time. `evidence`: natural log of the
    e-process against "this one is best"; the candidate is out when it reaches ln(1/delta).
    `runs`: executions or comparisons.
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


@dataclass(frozen=True)
class Verdict:
    """The answer, with what it rests on.

    `reason`: separated, indifferent (within the stated margin), tied (equal on the whole
    population), cycle (no candidate beats all others), budget, exhausted (no examples left),
    unavailable, interrupted, running. `confidence`: anytime-valid, 1 - 1/min evidence of rivals.
    `least`: estimated lower bound on the comparisons any method needs at this confidence;
    `equal`: estimated number when all candidates, or all pairs, are tested equally;
    `remaining`: estimated number still needed.
    `history`: evidence over time, {"at": [...], candidate id: [...]}.
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

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_json`; fields that this version does not know are left out."""
        known = {k: v for k, v in data.items() if k in cls.__dataclass_fields__}
        known["standings"] = tuple(Standing(**s) for s in known.get("standings", ()))
        known["unresolved"] = tuple(known.get("unresolved", ()))
        return cls(**known)
