"""The answer of `improve`: the best candidate, where it came from, and whether the gain is real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimand.core.amounts import cost, steps
from optimand.core.artifact import Candidate
from optimand.core.failed_runs import failed_runs
from optimand.core.verdict import Verdict
from optimand.result import PickResult, lasts

if TYPE_CHECKING:
    from optimand.core.store import Store

__all__ = ["ImproveResult", "certificate_line", "is_proven"]

BROKEN_OFF = {
    "interrupted": " yet: the comparison was interrupted; the same call again goes on",
    "unavailable": " yet: a service failed during the comparison; the same call again goes on",
}


def certificate_line(confidence: float) -> float:
    """Evidence in nats at which a certificate at this confidence rules a candidate out."""
    from optimand.strategies.pick.race import ScoreRace

    return ScoreRace(1.0 - confidence, baseline="start").stopping_line(2)


def is_proven(certificate: Verdict | None, start: str) -> bool:
    """Whether a certificate proves its best better than the candidate with the id `start`."""
    v = certificate
    if v is None or v.best in (None, start):
        return False
    return v.decided or bool(v.gain and v.gain["proven"])


@dataclass(frozen=True)
class ImproveResult:
    """What a search found and what was proven of it; `print(result)` says it in a sentence.

    `search`: the search's own verdict; its scores were chosen among many and prove nothing.
    `certificate`: the comparison of start and finalists on examples that the search never saw;
    None where there was nothing to compare or nothing to compare it on (`uncertified` says why).
    `known`: every candidate by id, with parents and operator. `reasons`: why proposals were not
    kept, and how many each. `warnings` say what is odd about the artifact found: grown much,
    repeating itself, holding training answers or the judge's words, overfitted. `front`: kept
    candidates that no other is as good as in the score and every objective, and better in one.
    """

    method: str
    start: Candidate
    search: Verdict
    certificate: Verdict | None
    known: Mapping[str, Candidate]
    reasons: Mapping[str, int]
    spent: Mapping[str, float]
    asked_confidence: float = 0.95
    uncertified: str = ""
    study: str = ""
    source: Store | str | Path | None = field(default=None, repr=False, compare=False)
    warnings: tuple[str, ...] = ()
    front: tuple[Candidate, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether the best is proven better than the start, at the confidence asked for."""
        return is_proven(self.certificate, self.start.id)

    @property
    def threshold(self) -> float:
        """Evidence in nats at which the certificate rules a candidate out."""
        return certificate_line(self.asked_confidence)

    @property
    def interrupted(self) -> bool:
        """Whether it was ended by Ctrl-C or a polite kill; the same call goes on."""
        ended = (self.search, self.certificate)
        return any(v is not None and v.reason == "interrupted" for v in ended)

    @property
    def lasting(self) -> bool:
        """Whether the log outlives this process, so that the same call resumes later."""
        return lasts(self.source)

    @property
    def best(self) -> Candidate:
        """The certificate's best; without one the search's best, which proves nothing."""
        chosen = self.certificate.best if self.certificate else self.search.best
        return self.known[chosen or self.start.id]

    @property
    def gain(self) -> dict[str, Any] | None:
        """{estimate, low, high, proven} of the best over the start on unseen examples."""
        return dict(self.certificate.gain) if self.certificate and self.certificate.gain else None

    @property
    def lineage(self) -> list[Candidate]:
        """From the start to the best, first parents only."""
        line, one = [self.best], self.best
        while one.parents and one.parents[0] in self.known and len(line) < len(self.known):
            one = self.known[one.parents[0]]
            line.append(one)
        return line[::-1]

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON; `best_parts` is the artifact found."""
        return {
            "study": self.study,
            "method": self.method,
            "best": self.best.name,
            "best_parts": dict(self.best.artifact.parts),
            "start": self.start.name,
            "proven": self.proven,
            "gain": self.gain,
            "uncertified": self.uncertified,
            "warnings": list(self.warnings),
            "lineage": [c.name for c in self.lineage],
            "front": [c.name for c in self.front],
            "names": {id_: c.name for id_, c in self.known.items()},
            "search": self.search.to_json(),
            "certificate": self.certificate.to_json() if self.certificate else None,
            "spent": dict(self.spent),
        }

    def report(self, path: str | Path) -> Path:
        """Write search and certificate as one page (see PickResult.report); returns its path."""
        verdict = self.certificate or self.search
        result = PickResult(
            verdict, self.known, self.asked_confidence, self.spent, self.study, self.source
        )
        return result.report(path)

    def __str__(self) -> str:
        used = f"{int(self.spent.get('rollouts', 0)):,} rollouts"
        calls = int(self.spent.get("calls", 0))
        parts = [used, steps(self.spent), f"{calls:,} calls" if calls else "", cost(self.spent)]
        tail = ", ".join(part for part in parts if part)
        failed = (failed_runs(v.failures) for v in (self.search, self.certificate) if v)
        notes = [*(f for f in failed if f), *self.warnings]
        return "\n".join([f"{self._finding()} {tail}.", *(f"Warning: {text}" for text in notes)])

    def _finding(self) -> str:
        gain = self.gain
        if self.certificate is None or gain is None:
            return f"Not certified: {self.uncertified}. Best in the search: {self.best.name}."
        interval = f"{gain['estimate']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]"
        if self.proven:
            return (
                f"{self.best.name} is proven better than {self.start.name} "
                f"at confidence {self.asked_confidence:g}: gain {interval} on unseen examples."
            )
        kept = f"Kept {self.start.name}: no gain is proven"
        if self.certificate.reason in BROKEN_OFF:
            return f"{kept}{BROKEN_OFF[self.certificate.reason]}."
        return f"{kept}.{self._found()}{self._more()}"

    def _found(self) -> str:
        """What the best find scored beside the start, which proves nothing."""
        by_id = {s.candidate: s for s in self.certificate.standings} if self.certificate else {}
        start = by_id.pop(self.start.id, None)
        top = max(by_id.values(), key=lambda s: s.estimate, default=None)
        if start is None or top is None or top.estimate <= start.estimate:
            return ""
        name = self.known[top.candidate].name
        return f" The best find, {name}, scored {top.estimate:.3f} against {start.estimate:.3f}."

    def _more(self) -> str:
        left = self.certificate.remaining if self.certificate else None
        if not left:
            return ""
        return (
            f" At these estimates about {left:,.0f} more rollouts on new examples would settle it."
        )
