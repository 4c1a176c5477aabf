"""The answer of `pick`, as people and programs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from optimand.core.artifact import Candidate
from optimand.core.verdict import Standing, Verdict

if TYPE_CHECKING:
    import pandas

__all__ = ["PickResult"]


@dataclass(frozen=True)
class PickResult:
    """What was found, how sure it is, and what it cost; `print(result)` says it in a sentence."""

    verdict: Verdict
    candidates: Mapping[str, Candidate]
    asked_confidence: float
    spent: Mapping[str, float]

    @property
    def decided(self) -> bool:
        """Whether the answer is safe at the confidence asked for."""
        return self.verdict.decided

    @property
    def best(self) -> Candidate | None:
        """The best candidate; when undecided the best so far, and None in a cycle."""
        return self.candidates[self.verdict.best] if self.verdict.best else None

    @property
    def confidence(self) -> float:
        """The anytime-valid confidence reached."""
        return self.verdict.confidence

    @property
    def reason(self) -> str:
        """Why the run ended (see Verdict)."""
        return self.verdict.reason

    @property
    def ranking(self) -> list[tuple[Candidate, Standing]]:
        """Candidates with their standings, best first."""
        return [(self.candidates[s.candidate], s) for s in self.verdict.standings]

    def to_frame(self) -> pandas.DataFrame:
        """The ranking as a pandas frame; needs the extra `frame`."""
        import pandas

        rows: list[dict[str, Any]] = [
            {
                "rank": s.rank,
                "name": c.name,
                "estimate": s.estimate,
                "low": s.low,
                "high": s.high,
                "runs": s.runs,
                "evidence": s.evidence,
                "in_race": s.alive,
            }
            for c, s in self.ranking
        ]
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        v = self.verdict
        cost = f"{v.used} {v.unit}"
        if self.spent.get("usd"):
            cost += f", ${self.spent['usd']:.2f}"
        if v.decided and self.best is not None:
            top = v.standings[0]
            return (
                f"{self.best.name} is best: {v.measure} {top.estimate:.3f} "
                f"[{top.low:.3f}, {top.high:.3f}], confidence {v.confidence:.3f}, {cost}."
            )
        names = ", ".join(self.candidates[i].name for i in v.unresolved)
        why = f"{v.reason} ({v.detail})" if v.detail else v.reason
        return f"Undecided: {why}. Not separated: {names}. {cost}."
