"""Blocks about the steps before: what was criticized, and what became of the rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context, Evidence
from optimand.queries.blocks import WHOLE, cut, render
from optimand.queries.query import Block

__all__ = ["Attempt", "attempts", "earlier_criticism", "earlier_versions"]


@dataclass(frozen=True)
class Attempt:
    """A step: the candidate criticized, what was said, and whether its rewrite was kept."""

    candidate: Candidate
    criticism: str
    kept: bool


def earlier_criticism(count: int) -> Block:
    """The criticism of the last `count` steps in `params["past"]`, oldest first."""

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        said = [one.criticism for one in _past(context, count) if one.criticism]
        if not said:
            return ""
        head = "Oldest first. What is said again and again calls for a larger change."
        return f"{head}\n\n{cut(_joined(said), WHOLE, keep_end=True)}"

    return block


def earlier_versions(count: int) -> Block:
    """The versions of the last `count` steps in `params["past"]`, with what became of them."""

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        names = context.action.params.get("parts") or ()
        shown = [
            f"{render(context, one.candidate, names)}\n"
            f"Its rewrite was {'kept' if one.kept else 'no better, and not kept'}."
            for one in _past(context, count)
        ]
        return cut(_joined(shown), WHOLE, keep_end=True)

    return block


def attempts(count: int) -> Block:
    """The last `count` candidates that were tried, kept or not, with their mean score on "val".

    Oldest first. A score is all that is told of "val": no outputs, no feedback.
    """

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        memory = context.memory
        tried = [c for c in memory.known.values() if memory.records(c)][-count:] if count else []
        shown = [f"{render(context, c)}\nscore: {memory.value(c):.4g}" for c in tried]
        return cut(_joined(shown), WHOLE, keep_end=True)

    return block


def _past(context: Context, count: int) -> Sequence[Attempt]:
    past: Sequence[Attempt] = context.action.params.get("past", ())
    return past[-count:] if count else ()


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
