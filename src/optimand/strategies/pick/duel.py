"""Pick by comparisons: adaptively chosen pairs on fresh examples, until the answer is safe."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from optimand.core.action import Compare, Outcome, Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.given import need_text
from optimand.core.run import Run
from optimand.core.usercode import shown
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.duel_costs import Costs, Spending, given_costs
from optimand.strategies.pick.duel_table import DuelTable
from optimand.strategies.pick.order import shuffled
from optimand.strategies.pick.warm import Begun, Carried, keep, unseen, warm_duel

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
        example = shuffled(examples, rng)
        base = baseline_index(run.candidates, self.baseline)
        given = given_costs(self.costs, [c.name for c in run.candidates])
        costs = self.options.costs if given is None else given
        table = DuelTable(run, replace(self.options, baseline=base, costs=costs))
        if self.costs == "measured":
            table.spending = Spending(table.state)
        table.examples = len(examples)
        table.carried = warm_duel(table.state, table.ids, self.warm)
        begun = Begun(examples, example)
        run.keep = lambda: keep(table.state, table.ids, table.taken, begun, self.warm)
        run.snapshot = lambda: table.verdict("running")
        try:
            outcome: Outcome | None = None
            while not table.state.done[0]:
                if begun.count < len(examples):
                    a, b = table.state.choose(rng)
                    pair = run.candidates[a[0]], run.candidates[b[0]]
                    begun.count += 1
                    outcome = yield Compare(*pair, example(begun.count - 1))
                elif table.taken < begun.count:
                    outcome = yield None
                else:
                    return table.verdict("exhausted")
                if outcome is not None:
                    table.take(outcome)
            return table.verdict("separated")
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)
