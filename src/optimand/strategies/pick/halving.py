"""Guess by scores within a fixed number of rollouts: after each round half of the field is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optimand.core.action import Outcome, Rollout, Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.example import endless
from optimand.core.run import Run
from optimand.statistics.halving import rounds
from optimand.statistics.race import Race
from optimand.strategies.pick.guess import INTERVALS, NEVER, best_guess
from optimand.strategies.pick.order import shuffled
from optimand.strategies.pick.race_table import RaceTable

__all__ = ["ScoreHalving"]


@dataclass(frozen=True)
class ScoreHalving:
    """Sequential halving on shared examples, in random order, for scores (statistics.halving).

    `rollouts`: how many to make in all, at least one for each candidate. `split`: which examples to
    use. The bets of a race are kept besides, so the guess comes with the confidence it has earned.
    """

    rollouts: int
    split: str = "all"
    name: str = "halving"
    ordered: bool = True

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are left in this round."""
        examples, arms = run.task.splits[self.split], len(run.candidates)
        if self.rollouts < arms:
            raise InputError(f"{self.rollouts} rollouts are not enough: each candidate needs one")
        size = None if endless(examples) else len(examples)
        plan = rounds(arms, self.rollouts, size)
        planned = sum(left * count for left, count in plan)
        whole = size if run.task.population == "whole" else None
        table = RaceTable(run, Race(arms, NEVER, whole), INTERVALS)
        run.snapshot = lambda: best_guess(table.verdict("running"), planned)
        example = shuffled(examples, np.random.default_rng(run.seed))
        due = started = 0
        try:
            for left, count in plan:
                due += count
                if count:
                    table.race.keep(left)
                outcome: Outcome | None = None
                while table.taken < due and not table.race.finished:
                    if started < due:
                        started += 1
                        outcome = yield Rollout(table.running(run), (example(started - 1),))
                    else:
                        outcome = yield None
                    if outcome is not None:
                        table.take(outcome)
            return best_guess(table.verdict("exhausted"), planned)
        except Stopped as stop:
            return best_guess(table.verdict(stop.reason, stop.detail), planned)
