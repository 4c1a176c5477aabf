"""Pick by comparisons: adaptively chosen pairs on fresh examples, until the answer is safe."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from optimand.core.action import Compare, Outcome, Steps
from optimand.core.errors import Stopped
from optimand.core.run import Run
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.duel_table import DuelTable
from optimand.strategies.pick.order import shuffled

__all__ = ["Duel"]


@dataclass(frozen=True)
class Duel:
    """Compare pairs chosen to be the most telling (see statistics.duel); needs a pairwise judge.

    Every comparison uses a fresh example; outcomes are taken in the order started, which the
    guarantee needs and which makes a run independent of timing. `baseline`: name of the candidate
    that is kept unless another is proven better.
    """

    options: DuelOptions = field(default_factory=DuelOptions)
    baseline: str | None = None
    split: str = "all"
    name: str = "duel"
    ordered: bool = True

    def stopping_line(self, arms: int) -> float | None:
        """Evidence in nats at which one of `arms` is given up; None for another stopper."""
        if self.options.stopper is not betting_stop:
            return None
        baseline = None if self.baseline is None else 0
        options = replace(self.options, baseline=baseline)
        return DuelState(arms, 1, options).evidence.need_elimination

    def __call__(self, run: Run) -> Steps:
        """Yield one comparison at a time."""
        examples = run.task.splits[self.split]
        rng = np.random.default_rng(run.seed)
        example = shuffled(examples, rng)
        base = baseline_index(run.candidates, self.baseline)
        table = DuelTable(run, replace(self.options, baseline=base))
        run.snapshot = lambda: table.verdict("running")
        started = 0
        try:
            outcome: Outcome | None = None
            while not table.state.done[0]:
                if started < len(examples):
                    a, b = table.state.choose(rng)
                    pair = run.candidates[a[0]], run.candidates[b[0]]
                    started += 1
                    outcome = yield Compare(*pair, example(started - 1))
                elif table.taken < started:
                    outcome = yield None
                else:
                    return table.verdict("exhausted")
                if outcome is not None:
                    table.take(outcome)
            return table.verdict("separated")
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)
