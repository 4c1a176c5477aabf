"""How far a run is, from what it would conclude if it ended now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optimand.core.amounts import clock, cost, steps
from optimand.core.failed_runs import failed_runs
from optimand.core.verdict import Standing, Verdict
from optimand.core.wording import joined
from optimand.result import closest

__all__ = ["Pace", "Progress", "spent_so_far"]

SEEN_ENOUGH = 0.1
"""Evidence, as a share of what is needed, below which its growth says nothing about the end."""


@dataclass(frozen=True)
class Progress:
    """One look at a run. `left`: expected seconds to go, None where nothing can be said yet."""

    verdict: Verdict
    names: Mapping[str, str]
    spent: Mapping[str, float]
    line: float | None
    left: float | None

    @property
    def racing(self) -> list[str]:
        """The names of those not ruled out, best first."""
        return [self.names.get(s.candidate, s.candidate) for s in self.verdict.standings if s.alive]

    def share(self, standing: Standing) -> float:
        """How much of the evidence needed against a candidate there is, from 0 to 1."""
        if not standing.alive:
            return 1.0
        return min(1.0, max(0.0, standing.evidence / self.line)) if self.line else 0.0

    def sentence(self) -> str:
        """Where the run is, on one line."""
        v = self.verdict
        parts = [f"{v.used:,} {v.unit}", spent_so_far(self.spent), *self._reached()]
        racing = self.racing
        few = joined(racing) if len(racing) <= 4 else f"{len(racing)} candidates"
        parts += [f"in the race: {few}", failed_runs(v.failures, error=False)]
        parts.append(f"{clock(self.spent.get('seconds', 0.0))} so far")
        if self.left is not None:
            parts.append(f"about {clock(self.left)} to go")
        return "; ".join(part for part in parts if part)

    def _reached(self) -> list[str]:
        """What is known already; a confidence only where it is more than a guess."""
        v = self.verdict
        rivals = [s for s in v.standings if s.candidate != v.best]
        found = []
        if len(rivals) > 1:
            out = sum(not s.alive for s in rivals)
            found.append(f"{out} of {len(rivals)} rivals ruled out")
        share = closest(v, self.line)
        if share is not None:
            found.append(f"{share:.0%} of the evidence needed against the closest")
        if v.confidence >= 0.5:
            found.append(f"confidence {v.confidence:.3f}")
        return found


class Pace:
    """Turns comparisons to go into seconds, by the speed of this session."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None
        self._spent: Mapping[str, float] | None = None

    def left(self, verdict: Verdict, seconds: float, line: float | None) -> float | None:
        """Expected seconds to go after `seconds` of active time."""
        if self._first is None:
            self._first = (verdict.used, seconds)
        used, since = verdict.used - self._first[0], seconds - self._first[1]
        to_go = verdict.remaining if verdict.remaining is not None else _by_growth(verdict, line)
        if to_go is None or used <= 0 or since <= 0:
            return None
        return to_go * since / used

    def allowed(self, spent: Mapping[str, float], limits: Mapping[str, float]) -> float | None:
        """Seconds until the first of the `limits` of a budget is reached, at the speed so far."""
        self._spent = first = self._spent or dict(spent)
        since = spent["seconds"] - first["seconds"]
        found = []
        for name, limit in limits.items():
            grown = spent.get(name, 0.0) - first.get(name, 0.0)
            if grown > 0 and since > 0:
                found.append(max(0.0, limit - spent[name]) * since / grown)
        return min(found, default=None)


def _by_growth(verdict: Verdict, line: float | None) -> float | None:
    """Comparisons to go if the evidence against the last rival keeps growing as it has."""
    rivals = [s.evidence for s in verdict.standings if s.alive and s.candidate != verdict.best]
    if not rivals or line is None or min(rivals) < SEEN_ENOUGH * line:
        return None
    return verdict.used * max(0.0, line / min(rivals) - 1.0)


def spent_so_far(spent: Mapping[str, float], judged: int = 0) -> str:
    """Environment steps, model calls, `judged` of them the judge's, tokens and dollars, if any."""
    parts = [steps(spent)]
    if calls := spent.get("calls"):
        judges = f" ({judged:,} of them the judge's)" if judged else ""
        parts.append(f"{calls:,.0f} model calls{judges}")
    if spent.get("tokens"):
        parts.append(f"{spent['tokens']:,.0f} tokens")
    return ", ".join(part for part in (*parts, cost(spent)) if part)
