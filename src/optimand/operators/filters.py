"""Filters: proposals that are not worth an evaluation."""

from __future__ import annotations

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context
from optimand.operators.edit import Filter

__all__ = ["shorter_than", "unkept", "unseen"]


def unseen(context: Context, candidate: Candidate) -> str:
    """Drop what was proposed before."""
    return "proposed before" if candidate.id in context.memory.known else ""


def unkept(context: Context, candidate: Candidate) -> str:
    """Drop what is kept already; what was rejected may come again, where gates change."""
    return "kept already" if candidate.id in context.memory.pool else ""


def shorter_than(most: int) -> Filter:
    """Drop proposals whose texts have more than `most` characters together."""

    def check(context: Context, candidate: Candidate) -> str:
        current = context.surface.current(candidate.artifact)
        size = sum(len(current[name] or "") for name in context.surface.texts)
        return f"{size} characters, more than {most}" if size > most else ""

    return check
