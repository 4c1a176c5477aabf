"""The verdict of a run without a stopping rule: the best guess, and how sure it is."""

from __future__ import annotations

from dataclasses import replace

from optimand.core.verdict import Verdict

__all__ = ["INTERVALS", "NEVER", "best_guess"]

NEVER = 1e-300
"""An error level at which nothing is ruled out, so that evidence only adds up."""
INTERVALS = 0.05
"""The error level of the intervals, which nobody asked for a confidence."""


def best_guess(found: Verdict, planned: int) -> Verdict:
    """`found` as a guess: nobody is ruled out, and what remains is what is left of the plan."""
    ended = found.reason not in ("running", "budget", "unavailable", "interrupted")
    return replace(
        found,
        decided=False,
        reason="fixed budget" if ended else found.reason,
        detail="" if ended else found.detail,
        standings=tuple(replace(s, alive=not s.certain) for s in found.standings),
        unresolved=tuple(s.candidate for s in found.standings if not s.certain),
        least=None,
        equal=None,
        remaining=float(max(0, planned - found.used)),
    )
