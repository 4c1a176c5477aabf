"""How an error level is shared among the claims that a run may make."""

from __future__ import annotations

__all__ = ["MAIN_SHARE", "split"]

MAIN_SHARE = 0.8
"""Share of the error level for "best" where there are other claims as well."""


def split(delta: float, others: int) -> tuple[float, float]:
    """(main, other): the level of the claim "best", and of each of `others` further kinds of claim.

    The two kinds are "within the indifference of the best" and "better than the baseline". With
    none, the claim "best" has all of `delta`.
    """
    if not others:
        return delta, 0.0
    return MAIN_SHARE * delta, (1.0 - MAIN_SHARE) * delta / others
