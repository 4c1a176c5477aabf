"""Guess by scores within a fixed number of rollouts: after each round half of the field is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from optimand.core.action import Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.example import endless
from optimand.core.given import need_level, need_text, need_whole
from optimand.core.run import Run
from optimand.core.verdict import FIXED, Verdict
from optimand.statistics.halving import rounds
from optimand.statistics.race import Race
from optimand.strategies.pick.order import Begun, in_order, shuffled
from optimand.strategies.pick.race_table import RaceTable

__all__ = ["ScoreHalving"]

NEVER = 1e-300
"""An error level at which a race rules nobody out, so that evidence only adds up."""


@dataclass(frozen=True)
class ScoreHalving:
    """Sequential halving on shared examples, in random order (statistics.halving); needs scores.

    `rollouts`: how many to make at most, one or more for each candidate. `delta`: level of the
    intervals, and of the evidence at which the guess counts as decided. `split`: which examples to
    use. The bets of a race are kept besides, so the guess comes with the confidence it has earned.
    """

    rollouts: int
    delta: float = 0.05
    split: str = "all"
    name: str = "halving"
    ordered: bool = True

    def __post_init__(self) -> None:
        need_whole(self.rollouts, "rollouts of ScoreHalving")
        need_level(self.delta, "delta of ScoreHalving")
        need_text(self.split, "split of ScoreHalving")

    def stopping_line(self, arms: int) -> float:  # noqa: ARG002 -- the same for any number
        """Evidence in nats at which the guess counts as better than a rival."""
        return math.log(1.0 / self.delta)

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are left in this round."""
        examples, arms = run.task.splits[self.split], len(run.candidates)
        if self.rollouts < arms:
            raise InputError(
                f"{self.rollouts} rollouts are not enough: each of {arms} candidates needs one"
            )
        size = None if endless(examples) else len(examples)
        plan = rounds(arms, self.rollouts, size)
        planned = sum(left * count for left, count in plan)
        whole = size if run.task.population == "whole" else None
        table = RaceTable(run, Race(arms, NEVER, whole), self.delta)
        run.snapshot = lambda: self._guess(table.verdict("running"), planned)
        try:
            found = yield from self._halve(run, table, plan)
            return self._guess(found, planned)
        except Stopped as stop:
            return self._guess(table.verdict(stop.reason, stop.detail), planned)

    def _halve(self, run: Run, table: RaceTable, plan: Sequence[tuple[int, int]]) -> Steps:
        examples = run.task.splits[self.split]
        begun = Begun(examples, shuffled(examples, np.random.default_rng(run.seed)))
        due = 0
        for left, count in plan:
            due += count
            if count:
                table.race.keep(left)
            yield from in_order(begun, table, table.rollout, lambda: table.race.finished, due)
        return table.verdict("exhausted")

    def _guess(self, found: Verdict, planned: int) -> Verdict:
        """The verdict of a race in which nobody was ruled out, as a guess.

        It is decided where the evidence against each rival has come to the line all the same.
        """
        ended = found.reason not in ("running", "budget", "unavailable", "interrupted")
        line = self.stopping_line(len(found.standings))
        standings = tuple(
            replace(s, alive=s.evidence < line or s.candidate == found.best)
            for s in found.standings
        )
        rivals = tuple(s.candidate for s in standings if s.alive and s.candidate != found.best)
        return replace(
            found,
            decided=ended and not rivals,
            reason=FIXED if ended else found.reason,
            detail="" if ended else found.detail,
            standings=standings,
            unresolved=(found.best or "", *rivals) if rivals else (),
            least=None,
            equal=None,
            remaining=float(max(0, planned - found.used)),
        )
