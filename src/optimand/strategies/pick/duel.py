"""Pick by comparisons: adaptively chosen pairs on fresh examples, until the answer is safe."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from optimand.core.action import Compare, Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.example import Example
from optimand.core.given import need_text
from optimand.core.run import Run
from optimand.core.usercode import shown
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.duel_costs import Costs, Spending, given_costs
from optimand.strategies.pick.duel_table import DuelTable
from optimand.strategies.pick.order import Begun, in_order, shuffled
from optimand.strategies.pick.warm import Carried, keep, unseen, warm_duel

__all__ = ["Duel"]


@dataclass(frozen=True)
class Duel:
    """Compare pairs chosen to be the most telling (see statistics.duel); needs a pairwise judge.

    Every comparison uses a fresh example; outcomes are taken in the order started, which the
    guarantee needs and which makes a run independent of timing. `baseline`: name of the candidate
    that is kept unless another is proven better. `warm`: what it goes on from (see warm).
    `costs`: "equal", "measured" (by what the executions so far took), or what running each
    candidate once costs, by name; pairs are then chosen by the evidence that their cost buys.
    """

    options: DuelOptions = field(default_factory=DuelOptions)
    baseline: str | None = None
    costs: Costs = "equal"
    split: str = "all"
    name: str = "duel"
    ordered: bool = True
    warm: Carried | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.options, DuelOptions):
            raise InputError(
                f"options of Duel are {shown(self.options)}. They must be DuelOptions(...)."
            )
        need_text(self.split, "split of Duel")

    def stopping_line(self, arms: int) -> float | None:
        """Evidence in nats at which one of `arms` is given up; None for another stopper."""
        if self.options.stopper is not betting_stop:
            return None
        baseline = None if self.baseline is None else 0
        options = replace(self.options, baseline=baseline)
        return DuelState(arms, 1, options).evidence.need_elimination

    def __call__(self, run: Run) -> Steps:
        """Yield one comparison at a time."""
        examples = unseen(run.task.splits[self.split], self.warm)
        rng = np.random.default_rng(run.seed)
        begun = Begun(examples, shuffled(examples, rng))
        base = baseline_index(run.candidates, self.baseline)
        given = given_costs(self.costs, [c.name for c in run.candidates])
        costs = self.options.costs if given is None else given
        options = replace(self.options, baseline=base, costs=costs)
        table = DuelTable(run, options, len(examples))
        if self.costs == "measured":
            table.spending = Spending(table.state)
        table.carried = warm_duel(table.state, table.ids, self.warm)
        run.keep = lambda: keep(table.state, table.ids, table.taken, begun, self.warm)
        run.snapshot = lambda: table.verdict("running")

        def compare(example: Example) -> Compare:
            a, b = table.state.choose(rng)
            return Compare(run.candidates[a[0]], run.candidates[b[0]], example)

        try:
            done = yield from in_order(begun, table, compare, lambda: table.state.done[0])
            return table.verdict("separated" if done else "exhausted")
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)
