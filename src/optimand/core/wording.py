"""Parts of sentences about a run: lists of names, and a count that does not end where it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optimand.core.verdict import Verdict

__all__ = ["extra", "joined", "made", "under_way"]


def joined(names: Sequence[str]) -> str:
    """Names in a row; by semicolons where a name holds a comma."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def extra(v: Verdict, spent: Mapping[str, float]) -> int:
    """How many more were paid for than the verdict rests on: they were in flight when it fell."""
    return max(0, int(spent.get(v.unit, v.used)) - v.used)


def made(v: Verdict, spent: Mapping[str, float]) -> str:
    """What the verdict rests on, and what was made besides."""
    used, more = f"{v.used:,} {v.unit}", under_way(v, spent)
    return f"{used} ({more})" if more else used


def under_way(v: Verdict, spent: Mapping[str, float]) -> str:
    """That the verdict rests on fewer than were paid for; empty where it rests on all."""
    more = extra(v, spent)
    if not more:
        return ""
    verb = "was" if more == 1 else "were"
    if v.reason == "running":
        return f"and {more:,} more that {verb} not looked at yet"
    return f"{'they decided it; ' if v.decided else ''}{more:,} more {verb} under way"
