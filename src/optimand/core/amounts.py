"""Money and time as people write them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["clock", "cost", "money", "price", "steps"]


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


def price(usd: float, unpriced: float) -> str:
    """Dollars; "at least" or "unknown" where the price of some calls is not known."""
    if not unpriced:
        return money(usd)
    return f"at least {money(usd)}" if usd else "unknown"


def cost(spent: Mapping[str, float]) -> str:
    """Dollars, or that they are not known; empty where nothing was charged."""
    usd, unpriced = spent.get("usd", 0.0), spent.get("unpriced", 0.0)
    if unpriced and not usd:
        return "price unknown"
    return price(usd, unpriced) if usd else ""


def steps(spent: Mapping[str, float]) -> str:
    """Steps of simulated environments; empty where none were taken."""
    taken = spent.get("steps", 0)
    return f"{taken:,.0f} environment step{'' if taken == 1 else 's'}" if taken else ""
