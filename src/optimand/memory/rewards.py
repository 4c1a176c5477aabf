"""What each of a few choices has brought so far, and an optimistic guess at what it is worth."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

__all__ = ["Rewards"]


class Rewards:
    """Rewards by name, in any unit."""

    def __init__(self) -> None:
        self._given: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, name: str, reward: float) -> None:
        """Note one reward."""
        self._given[name].append(reward)

    def count(self, name: str) -> int:
        """How many rewards a name got."""
        return len(self._given[name])

    def mean(self, name: str) -> float:
        """Their mean; 0 where there is none."""
        given = self._given[name]
        return sum(given) / len(given) if given else 0.0

    def upper(self, name: str, explore: float = 1.0) -> float:
        """Mean + explore sqrt(2 ln(all rewards) / n); inf for a name without any.

        UCB1 (Auer, Cesa-Bianchi & Fischer 2002), for rewards whose range is about `explore`.
        """
        n = self.count(name)
        if not n:
            return math.inf
        total = sum(map(len, self._given.values()))
        return self.mean(name) + explore * math.sqrt(2.0 * math.log(total) / n)

    def ranked(self, names: Iterable[str], explore: float = 1.0) -> list[str]:
        """Names by their upper bound, highest first; of equal ones those that came first."""
        return sorted(names, key=lambda name: -self.upper(name, explore))
