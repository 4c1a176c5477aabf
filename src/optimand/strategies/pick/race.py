"""Pick by scores: candidates race over shared examples until one is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optimand.core.action import Outcome, Rollout, Steps
from optimand.core.errors import Stopped
from optimand.core.run import Run
from optimand.statistics.race import Race
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.order import shuffled
from optimand.strategies.pick.race_table import RaceTable

__all__ = ["ScoreRace"]


@dataclass(frozen=True)
class ScoreRace:
    """Race on shared examples, in random order; needs scores.

    `delta`: allowed probability of naming a candidate that is not best, in (0, 1). `indifference`,
    in [0, 1): also stop when nobody left scores this much more than the leader. `baseline`: name of
    the candidate that is kept unless another is proven better. `split`: which examples to use.
    Outcomes are taken in the order started, so timing changes nothing.
    """

    delta: float = 0.05
    indifference: float = 0.0
    baseline: str | None = None
    split: str = "all"
    name: str = "race"
    ordered: bool = True

    def stopping_line(self, arms: int) -> float:
        """Evidence in nats at which one of `arms` candidates is given up."""
        baseline = None if self.baseline is None else 0
        return Race(arms, self.delta, None, self.indifference, baseline=baseline).threshold

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are still in the race."""
        examples = run.task.splits[self.split]
        table = RaceTable(run, self._race(run), self.delta)
        run.snapshot = lambda: table.verdict("running")
        rng = np.random.default_rng(run.seed)
        example = shuffled(examples, rng)
        started = 0
        try:
            outcome: Outcome | None = None
            while not table.race.finished:
                if started < len(examples):
                    started += 1
                    outcome = yield Rollout(table.running(run), (example(started - 1),))
                elif table.taken < started:
                    outcome = yield None
                else:
                    return table.verdict("exhausted")
                if outcome is not None:
                    table.take(outcome)
            return table.verdict("separated")
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
