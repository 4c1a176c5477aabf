"""What candidates of a duel cost: nothing said, given by name, or measured while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from optimand.core.action import Outcome
from optimand.core.errors import InputError
from optimand.core.given import need_number
from optimand.core.record import NOTHING, Usage
from optimand.core.usercode import shown
from optimand.statistics.costs import MeasuredCosts
from optimand.statistics.duel import DuelState

__all__ = ["Costs", "Spending", "given_costs"]

Floats = NDArray[np.float64]
Costs = Literal["equal", "measured"] | Mapping[str, float]


def given_costs(costs: Any, names: Sequence[str]) -> Floats | None:
    """The costs (K,) in the order of the candidates' names; None for "equal" and "measured".

    Raises InputError for another word, a name without a cost or that no candidate has, and a cost
    that is not a positive number.
    """
    if isinstance(costs, str) and costs in ("equal", "measured"):
        return None
    if not isinstance(costs, Mapping):
        raise InputError(
            f"strategy 'duel': costs are {shown(costs)}. Use 'equal', 'measured', or a mapping "
            "from each candidate's name to its cost."
        )
    missing = [name for name in names if name not in costs]
    if missing:
        raise InputError(f"strategy 'duel': no cost for {', '.join(map(repr, missing))}")
    for name, cost in costs.items():
        if name not in names:
            have = ", ".join(map(repr, names[:20]))
            raise InputError(f"strategy 'duel': a cost of {shown(name)}, but there is {have}.")
        need_number(cost, f"strategy 'duel': the cost of {name!r}", above=True)
    return np.array([costs[name] for name in names], float)


class Spending:
    """Steers a duel by the mean costs of its executions so far, taken in order.

    In dollars if every call's price is known and not 0, else in tokens. Half of what the judge
    takes on average counts with each of the two.
    """

    def __init__(self, state: DuelState) -> None:
        self._state = state
        self._usd, self._tokens = MeasuredCosts(state.arms), MeasuredCosts(state.arms)
        self._judge, self._judged = NOTHING, 0
        self._all = NOTHING

    def take(self, outcome: Outcome, a: int, b: int) -> None:
        """Count what one comparison of a with b used. What failed says nothing about costs."""
        for k, record in zip((a, b), outcome.records, strict=False):
            if record.status != "unknown":
                self._count(k, record.usage)
        judged = outcome.comparison
        if judged is not None and judged.outcome is not None:
            self._judge, self._judged = self._judge + judged.usage, self._judged + 1
            self._all = self._all + judged.usage
        if self._all.tokens or self._all.usd:
            self._state.spend_by(self._mean())

    def _count(self, k: int, usage: Usage) -> None:
        who = np.array([k])
        self._usd.add(who, np.array([usage.usd]))
        self._tokens.add(who, np.array([float(usage.tokens)]))
        self._all = self._all + usage

    def _mean(self) -> Floats:
        priced = self._all.usd > 0.0 and not self._all.unpriced
        found = self._usd if priced else self._tokens
        if not found.total.any():
            return np.ones(self._state.arms)
        judge = self._judge.usd if priced else self._judge.tokens
        return np.asarray(found.mean[0] + 0.5 * judge / max(self._judged, 1))
