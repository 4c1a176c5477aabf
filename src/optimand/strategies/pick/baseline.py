"""The candidate that is kept unless another is proven better, and by how much others differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optimand.core.artifact import Candidate
from optimand.core.errors import InputError
from optimand.core.given import need_text
from optimand.core.usercode import shown
from optimand.statistics.levels import split
from optimand.statistics.mean_interval import MeanInterval

__all__ = ["Gains", "baseline_index"]


def baseline_index(candidates: Sequence[Candidate], name: str | None) -> int | None:
    """The place of the one candidate with this name; None without a name.

    Raises InputError where there is none or several.
    """
    if name is None:
        return None
    need_text(name, "baseline")
    found = [i for i, candidate in enumerate(candidates) if candidate.name == name]
    if len(found) != 1:
        known = ", ".join(shown(candidate.name) for candidate in candidates[:20])
        several = f"{len(found)} candidates are" if found else "no candidate is"
        raise InputError(f"baseline: {several} named {shown(name)}. There is {known}.")
    return found[0]


class Gains:
    """Mean differences from the baseline, each with an interval that holds at any time.

    Together they hold with probability 1 - 0.2 delta. `reach`: the largest difference there can
    be, 1 for scores, 1/2 for win rates above one half.
    """

    def __init__(
        self, arms: int, baseline: int, delta: float, reach: float, population: int | None = None
    ) -> None:
        self.baseline = baseline
        self.reach = reach
        self._level = split(delta, 1)[1] / (arms - 1)
        # Phases apart, so that no decision waits for the work on all intervals at once.
        self._found = [MeanInterval(population, 5 * i + 2) for i in range(arms)]

    def add(self, k: int, difference: float) -> None:
        """Take a difference of candidate k from the baseline, within the reach."""
        if k != self.baseline:
            self._found[k].add(0.5 + 0.5 * difference / self.reach)

    def of(self, k: int, proven: bool, guess: float = 0.0) -> dict[str, Any]:
        """{estimate, low, high, proven} of candidate k; `guess` where there is no difference yet.

        What is proven is above 0, so the interval begins there at the lowest.
        """
        if k == self.baseline:
            return {"estimate": 0.0, "low": 0.0, "high": 0.0, "proven": False}
        found = self._found[k]
        low, high = (2.0 * self.reach * (end - 0.5) for end in found.ends(self._level))
        mean = 2.0 * self.reach * (found.mean - 0.5) if found.count else guess
        if proven:
            low, high = max(low, 0.0), max(high, 0.0)
        return {"estimate": mean, "low": low, "high": high, "proven": proven}
