"""Pick by scores: candidates race over shared examples until one is left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from optimand.core.action import Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.given import need_level, need_number, need_text
from optimand.core.run import Run
from optimand.core.usercode import shown
from optimand.statistics.race import Race
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.order import Begun, in_order, shuffled
from optimand.strategies.pick.race_table import RaceTable
from optimand.strategies.pick.warm import Carried, keep, unseen, warm_race

__all__ = ["ScoreRace"]


@dataclass(frozen=True)
class ScoreRace:
    """Race on shared examples, in random order; needs scores.

    `delta`: allowed probability of naming a candidate that is not best, in (0, 1). `indifference`,
    in [0, 1): also stop when nobody left scores this much more than the leader. `baseline`: name of
    the candidate that is kept unless another is proven better. `split`: which examples to use.
    `warm`: what it goes on from (see warm).
    Outcomes are taken in the order started, so timing changes nothing.
    """

    delta: float = 0.05
    indifference: float = 0.0
    baseline: str | None = None
    split: str = "all"
    name: str = "race"
    ordered: bool = True
    warm: Carried | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        need_level(self.delta, "delta of ScoreRace")
        need_number(self.indifference, "indifference of ScoreRace")
        if not self.indifference < 1:
            raise InputError(
                f"indifference of ScoreRace is {shown(self.indifference)}. It must be below 1."
            )
        need_text(self.split, "split of ScoreRace")

    def stopping_line(self, arms: int) -> float:
        """Evidence in nats at which one of `arms` candidates is given up."""
        baseline = None if self.baseline is None else 0
        return Race(arms, self.delta, None, self.indifference, baseline=baseline).threshold

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are still in the race."""
        examples = unseen(run.task.splits[self.split], self.warm)
        table = RaceTable(run, self._race(run), self.delta, len(examples))
        run.snapshot = lambda: table.verdict("running")
        rng = np.random.default_rng(run.seed)
        begun = Begun(examples, shuffled(examples, rng))
        if run.task.population != "whole":
            run.keep = lambda: keep(table.race, table.ids, table.runs, begun, self.warm)
        table.carried = warm_race(table.race, table.ids, self.warm)
        try:
            done = yield from in_order(begun, table, table.rollout, lambda: table.race.finished)
            return table.verdict("separated" if done else "exhausted")
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)

    def _race(self, run: Run) -> Race:
        whole = run.task.population == "whole"
        return Race(
            len(run.candidates),
            self.delta,
            len(run.task.splits[self.split]) if whole else None,
            self.indifference,
            baseline=baseline_index(run.candidates, self.baseline),
        )
