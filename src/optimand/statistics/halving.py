"""How to spend a fixed number of rollouts: rounds on shared examples, the field halved after each.

Source: sequential halving (Karnin, Koren & Somekh 2013, Figure 1), with two differences: what was
seen in earlier rounds counts on, since the examples are shared, and what rounding leaves is spent.
"""

from __future__ import annotations

import math

__all__ = ["rounds"]


def rounds(arms: int, budget: int, examples: int | None = None) -> tuple[tuple[int, int], ...]:
    """(candidates, examples) of each round, for at most `budget` rollouts of `arms` candidates.

    Each of ceil(log2 K) rounds has about the same share of the budget. With `examples` there are no
    more than that, and the earlier rounds have what the later ones cannot use; nothing is left over
    that would pay for one more example in any round. Raises ValueError where the budget does not
    reach for one example.
    """
    if budget < arms:
        raise ValueError(f"{budget} rollouts are not enough to run {arms} candidates once.")
    sizes = [arms]
    while sizes[-1] > 2:
        sizes.append(math.ceil(sizes[-1] / 2))
    most = budget if examples is None else examples
    low, high = 0, arms * most + 1  # the share of a round: the largest one that can be paid
    while high - low > 1:
        share = (low + high) // 2
        low, high = (
            (share, high) if _cost(sizes, _plan(sizes, share, most)) <= budget else (low, share)
        )
    plan = _plan(sizes, low, most)
    while _add(sizes, plan, budget - _cost(sizes, plan), most):
        pass
    return tuple(zip(sizes, plan, strict=True))


def _plan(sizes: list[int], share: int, most: int) -> list[int]:
    """Examples of each round at `share` rollouts a round; everybody runs one at least."""
    plan: list[int] = []
    left = most
    for size in sizes:
        plan.append(min(left, max(share // size, 0 if plan else 1)))
        left -= plan[-1]
    return plan


def _cost(sizes: list[int], plan: list[int]) -> int:
    return sum(size * count for size, count in zip(sizes, plan, strict=True))


def _add(sizes: list[int], plan: list[int], left: int, most: int) -> bool:
    """Spend some of what is left: one more example, else one moved to an earlier round."""
    last = len(sizes) - 1
    if sum(plan) < most:
        for r in range(last, -1, -1):
            if sizes[r] <= left:
                plan[r] += 1
                return True
        return False
    for r in range(last - 1, -1, -1):
        later = next((q for q in range(last, r, -1) if plan[q]), None)
        if later is not None and sizes[r] - sizes[later] <= left:
            plan[r], plan[later] = plan[r] + 1, plan[later] - 1
            return True
    return False
