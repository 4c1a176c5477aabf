"""A candidate's standing as a reader sees it in a table, on a page or a terminal."""

from __future__ import annotations

from optimand.core.verdict import Standing, Verdict

__all__ = ["estimate", "evidence", "evidence_title", "interval"]


def estimate(v: Verdict, s: Standing) -> str:
    """The mean score or win rate; "reference" for the one against which win rates are."""
    return "reference" if v.is_reference(s) else f"{s.estimate:.3f}"


def interval(v: Verdict, s: Standing) -> str:
    """The interval, empty for the reference."""
    return "" if v.is_reference(s) else f"{s.low:.3f} to {s.high:.3f}"


def evidence(s: Standing) -> str:
    """Evidence against the candidate in nats, or "certain"."""
    return "certain" if s.certain else f"{s.evidence:.2f}"


def evidence_title(line: float | None) -> str:
    """What the evidence is, and what it must reach for a candidate to be ruled out."""
    return "evidence against" + (f" (out at {line:.2f})" if line is not None else "")
