"""Pick by scores: candidates race over shared examples until one is left."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from optimand.core.action import Outcome, Rollout, Steps
from optimand.core.errors import InputError, Stopped
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.statistics.mean_interval import mean_interval
from optimand.statistics.race import Race

__all__ = ["ScoreRace"]


@dataclass(frozen=True)
class ScoreRace:
    """Race on shared examples, in random order; needs scores.

    `delta`: allowed probability of naming a candidate that is not best, in (0, 1). `split`: which
    examples to use. Outcomes are taken in the order started, so timing changes nothing.
    """

    delta: float = 0.05
    split: str = "all"
    name: str = "race"
    ordered: bool = True

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are still in the race."""
        examples = run.task.splits[self.split]
        whole = run.task.population == "whole"
        table = _Table(run, self.delta, len(examples) if whole else None)
        run.snapshot = lambda: table.verdict("running")
        rng = np.random.default_rng(run.seed)
        finite = len(examples) < 10_000_000
        order = rng.permutation(len(examples)) if finite else None
        started = 0
        try:
            outcome: Outcome | None = None
            while not table.race.finished:
                if started < len(examples):
                    at = started if order is None else int(order[started])
                    started += 1
                    alive = tuple(
                        c for c, a in zip(run.candidates, table.race.alive, strict=True) if a
                    )
                    outcome = yield Rollout(alive, (examples[at],))
                elif table.taken < started:
                    outcome = yield None
                else:
                    return table.verdict("exhausted")
                if outcome is not None:
                    table.take(outcome)
            return table.verdict("separated")
        except Stopped as stop:
            return table.verdict(stop.reason, stop.detail)


class _Table:
    """The race and each candidate's scores, and the verdict they give."""

    def __init__(self, run: Run, delta: float, population: int | None) -> None:
        self.ids = [c.id for c in run.candidates]
        self.index = {name: i for i, name in enumerate(self.ids)}
        self.delta = delta
        self.race = Race(len(self.ids), delta, population)
        self.scores: list[list[float]] = [[] for _ in self.ids]
        self.taken = 0
        self.runs = 0
        self.history: dict[str, list[float]] = {"at": [], **{i: [] for i in self.ids}}

    def take(self, outcome: Outcome) -> None:
        """Take one example's records; those already out of the race only sharpen intervals."""
        self.taken += 1
        x = np.full(len(self.ids), np.nan)
        for record in outcome.records:
            i = self.index[record.candidate]
            if record.status != "unknown":
                if record.score is None:
                    raise InputError(
                        "this task gives no scores: give it a scoring judge, or compare in pairs"
                    )
                x[i] = record.score
                self.scores[i].append(record.score)
            self.runs += 1
        if not self.race.finished:
            self.race.update(x)
            self.history["at"].append(self.runs)
            for name, value in zip(self.ids, self.race.evidence, strict=True):
                self.history[name].append(round(float(min(value, 99.0)), 3))

    def verdict(self, reason: str, detail: str = "") -> Verdict:
        """The answer if the race ended now."""
        race = self.race
        alive, tied = [int(i) for i in np.flatnonzero(race.alive)], race.tied()
        seen_all = race.population is not None and race.seen >= race.population
        decided = len(alive) == 1 or (seen_all and len(tied) == 1)
        if reason == "separated" and seen_all and len(alive) > 1 and len(tied) > 1:
            reason, alive = "tied", tied
            detail = "equal scores on the whole population"
        elif decided and reason != "running":
            reason, detail = "separated", ""
        best = race.leader
        rivals = np.delete(race.evidence, best)
        confidence = 1.0 if seen_all and decided else 1.0 - math.exp(-max(0.0, float(rivals.min())))
        return Verdict(
            decided,
            self.ids[best],
            reason,
            detail,
            confidence,
            self._standings(best),
            () if decided else tuple(self.ids[i] for i in alive),
            unit="rollouts",
            used=self.runs,
            equal=float(race.seen * race.arms),
            history=self.history if reason != "running" else {},
        )

    def _standings(self, best: int) -> tuple[Standing, ...]:
        race = self.race
        means = [float(np.mean(s)) if s else 0.0 for s in self.scores]
        order = sorted(range(race.arms), key=lambda i: (i != best, not race.alive[i], -means[i]))
        return tuple(self._standing(i, rank, means[i]) for rank, i in enumerate(order, 1))

    def _standing(self, i: int, rank: int, mean: float) -> Standing:
        race = self.race
        low, high = mean_interval(self.scores[i], self.delta, race.population)
        by = int(race.beaten_by[i])
        return Standing(
            self.ids[i],
            rank,
            mean,
            low,
            high,
            len(self.scores[i]),
            float(min(race.evidence[i], 99.0)),
            bool(race.alive[i]),
            self.ids[by] if by >= 0 else None,
        )
