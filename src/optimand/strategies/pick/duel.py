"""Pick by comparisons: adaptively chosen pairs on fresh examples, until the answer is safe."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace

import numpy as np

from optimand.core.action import Action, Compare, Outcome, Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.run import Run
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.duel_table import DuelTable
from optimand.strategies.pick.guess import INTERVALS, NEVER, best_guess
from optimand.strategies.pick.order import shuffled

__all__ = ["Duel", "DuelGuess"]


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
        base = baseline_index(run.candidates, self.baseline)
        table = DuelTable(run, replace(self.options, baseline=base), self.options.delta)
        run.snapshot = lambda: table.verdict("running")
        try:
            reason = yield from _play(run, table, self.split)
            return table.verdict(reason)
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)


@dataclass(frozen=True)
class DuelGuess:
    """Make a fixed number of comparisons, chosen as in a duel, and name the best guess.

    `comparisons`: how many, each on a fresh example, of which `split` must have as many. Nobody is
    ruled out; the guess comes with the confidence that the evidence against its rivals has earned.
    """

    comparisons: int
    options: DuelOptions = field(default_factory=DuelOptions)
    split: str = "all"
    name: str = "duel guess"
    ordered: bool = True

    def __call__(self, run: Run) -> Steps:
        """Yield one comparison at a time."""
        if self.comparisons < 1:
            raise InputError("no comparisons to make: a guess needs one at least")
        table = DuelTable(run, replace(self.options, delta=NEVER, check=None), INTERVALS)
        planned = min(self.comparisons, len(run.task.splits[self.split]))
        run.snapshot = lambda: best_guess(table.verdict("running"), planned)
        try:
            reason = yield from _play(run, table, self.split, planned)
            return best_guess(table.verdict(reason), planned)
        except Stopped as stop:
            return best_guess(table.verdict(stop.reason, stop.detail), planned)


def _play(
    run: Run, table: DuelTable, split: str, most: int | None = None
) -> Generator[Action | None, Outcome | None, str]:
    """Compare until the duel is done, or `most` times or as often as there are examples."""
    examples = run.task.splits[split]
    rng = np.random.default_rng(run.seed)
    example = shuffled(examples, rng)
    limit = len(examples) if most is None else most
    started = 0
    outcome: Outcome | None = None
    while not table.state.done[0]:
        if started < limit:
            a, b = table.state.choose(rng)
            started += 1
            first, second = run.candidates[a[0]], run.candidates[b[0]]
            outcome = yield Compare(first, second, example(started - 1))
        elif table.taken < started:
            outcome = yield None
        else:
            return "exhausted"
        if outcome is not None:
            table.take(outcome)
    return "separated"
