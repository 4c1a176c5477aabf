"""The answer of `pick`, as people and programs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimand.core.artifact import Candidate
from optimand.core.verdict import Standing, Verdict

if TYPE_CHECKING:
    import pandas

    from optimand.core.store import Store

__all__ = ["PickResult", "clock", "cost", "money", "plain", "sentence"]


def money(usd: float) -> str:
    """Dollars with as many digits as it takes to see that it is not nothing."""
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.2g}"


def clock(seconds: float) -> str:
    """Seconds as 7 s, 3:07 min or 2:05 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def cost(spent: Mapping[str, float]) -> str:
    """Dollars, and the calls that they leave out; empty where nothing was charged."""
    parts = [money(spent["usd"])] if spent.get("usd") else []
    if spent.get("unpriced"):
        parts.append(f"{spent['unpriced']:,.0f} calls of unknown price")
    return ", ".join(parts)


def sentence(verdict: Verdict, names: Mapping[str, str], spent: Mapping[str, float]) -> str:
    """A verdict as one sentence: who, how much, how sure, at what cost. `names`: id to name."""
    v = verdict
    made = int(spent.get(v.unit, v.used))
    used = ", ".join(part for part in (f"{made:,} {v.unit}", cost(spent)) if part)
    sure = f"confidence {v.confidence:.3f}"
    if v.decided and v.best is not None and v.standings:
        return f"{names[v.best]} is best: {_how_much(v, names)}, {sure}, {used}."
    places = {s.candidate: s.rank for s in v.standings}
    rest = sorted(v.unresolved, key=lambda i: places.get(i, len(places)))
    why = f"{v.reason} ({v.detail})" if v.detail else v.reason
    so_far = ""
    if v.best is not None and v.standings:
        so_far = f" Best so far: {names[v.best]}, {_how_much(v, names)}, {sure}."
    return f"Undecided: {why}.{so_far} Not separated: {', '.join(names[i] for i in rest)}. {used}."


def _how_much(v: Verdict, names: Mapping[str, str]) -> str:
    """The winner's score; where pairs are compared, its win rate against the next in rank."""
    top = v.standings[0]
    if v.measure == "score" or len(v.standings) < 2:
        return f"{v.measure} {top.estimate:.3f} [{top.low:.3f}, {top.high:.3f}]"
    rival = v.standings[1]
    return (
        f"win rate {1 - rival.estimate:.3f} [{1 - rival.high:.3f}, {1 - rival.low:.3f}] "
        f"against {names[rival.candidate]}"
    )


def plain(
    verdict: Verdict, names: Mapping[str, str], spent: Mapping[str, float], study: str
) -> dict[str, Any]:
    """A verdict as plain JSON, with names beside the ids, for programs."""
    return {
        "study": study,
        **verdict.to_json(),
        "best": names[verdict.best] if verdict.best else None,
        "names": dict(names),
        "spent": dict(spent),
    }


@dataclass(frozen=True)
class PickResult:
    """What was found, how sure it is, and what it cost; `print(result)` says it in a sentence.

    `study` is its name in `source`, the store (or its path or URL) that holds the log.
    """

    verdict: Verdict
    candidates: Mapping[str, Candidate]
    asked_confidence: float
    spent: Mapping[str, float]
    study: str = ""
    source: Store | str | Path | None = field(default=None, repr=False, compare=False)

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

    @property
    def names(self) -> dict[str, str]:
        """The candidates' names by id."""
        return {id_: c.name for id_, c in self.candidates.items()}

    def report(self, path: str | Path) -> Path:
        """Write the run as one HTML page that opens without a network; returns its path.

        Raises InputError for a result without a log, and StorageError where the log or the page
        cannot be read or written.
        """
        from optimand.report import report_result

        return report_result(self, Path(path))

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON."""
        return plain(self.verdict, self.names, self.spent, self.study)

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
        return sentence(self.verdict, self.names, self.spent)
