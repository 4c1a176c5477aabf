"""Pick by scores: candidates race over shared examples until one is left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimand.core.action import Outcome, Rollout, Steps
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError, Stopped
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.statistics.divergence import certainty_cost
from optimand.statistics.mean_interval import MeanInterval
from optimand.statistics.race import Race
from optimand.strategies.pick.history import History
from optimand.strategies.pick.order import shuffled

__all__ = ["ScoreRace"]


@dataclass(frozen=True)
class ScoreRace:
    """Race on shared examples, in random order; needs scores.

    `delta`: allowed probability of naming a candidate that is not best, in (0, 1). `indifference`,
    in [0, 1): also stop when nobody left scores this much more than the leader. `split`: which
    examples to use. Outcomes are taken in the order started, so timing changes nothing.
    """

    delta: float = 0.05
    indifference: float = 0.0
    split: str = "all"
    name: str = "race"
    ordered: bool = True

    def stopping_line(self, arms: int) -> float:
        """Evidence in nats at which one of `arms` candidates is given up."""
        return Race(arms, self.delta, None, self.indifference).threshold

    def __call__(self, run: Run) -> Steps:
        """Yield one example at a time, for all that are still in the race."""
        examples = run.task.splits[self.split]
        whole = run.task.population == "whole"
        table = _Table(run, self, len(examples) if whole else None)
        run.snapshot = lambda: table.verdict("running")
        rng = np.random.default_rng(run.seed)
        example = shuffled(examples, rng)
        started = 0
        try:
            outcome: Outcome | None = None
            while not table.race.finished:
                if started < len(examples):
                    started += 1
                    outcome = yield Rollout(table.alive(run), (example(started - 1),))
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

    def __init__(self, run: Run, rule: ScoreRace, population: int | None) -> None:
        self.ids = [c.id for c in run.candidates]
        self.index = {name: i for i, name in enumerate(self.ids)}
        self.delta = rule.delta
        self.race = Race(len(self.ids), rule.delta, population, rule.indifference)
        # Phases apart, so that no decision waits for the work on all intervals at once.
        self.scores = [MeanInterval(population, 5 * i) for i in range(len(self.ids))]
        self.taken = 0
        self.runs = 0
        self.history = History(self.ids)

    def alive(self, run: Run) -> tuple[Candidate, ...]:
        """The candidates still in the race."""
        return tuple(c for c, a in zip(run.candidates, self.race.alive, strict=True) if a)

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
                self.scores[i].add(record.score)
            self.runs += 1
        if not self.race.finished:
            self.race.update(x)
            self.history.add(self.runs, self._evidence())

    def _evidence(self) -> list[float]:
        """Evidence against each; proof, as on a whole population, is shown as 99 nats."""
        return [float(min(value, 99.0)) for value in self.race.evidence]

    def verdict(self, reason: str, detail: str = "") -> Verdict:
        """The answer if the race ended now."""
        race, running = self.race, reason == "running"
        alive, tied = [int(i) for i in np.flatnonzero(race.alive)], race.tied()
        seen_all = race.population is not None and race.seen >= race.population
        certain = seen_all and len(tied) == 1
        near = bool(race.indifferent) and len(alive) > 1 and not certain
        decided = len(alive) == 1 or certain or near
        if reason == "separated" and seen_all and not decided:
            reason, alive = "tied", tied
            detail = "equal scores on the whole population"
        elif decided and not running:
            reason, detail = ("indifferent" if near else "separated"), ""
        best = int(race.leader)
        return Verdict(
            decided,
            self.ids[best],
            reason,
            detail,
            self._confidence(best, near, certain),
            self._standings(best),
            () if decided else tuple(self.ids[i] for i in alive),
            unit="rollouts",
            used=self.runs,
            least=None if running else _finite(self._rollouts(best, certainty_cost(self.delta))),
            equal=float(race.seen * race.arms),
            remaining=0.0 if decided else _finite(self._remaining(best)),
            history={} if running else self.history.to_json(self.runs, self._evidence()),
        )

    def _confidence(self, best: int, near: bool, certain: bool) -> float:
        """Those still in the race when all examples were seen are certain to be behind."""
        if near:
            return 1.0 - self.delta
        proof = certain & self.race.alive
        evidence = np.where(proof, math.inf, self.race.evidence)
        return 1.0 - math.exp(-max(0.0, float(np.delete(evidence, best).min())))

    def _rollouts(self, best: int, nats: Any) -> float:
        """Rollouts that gathering `nats` against each rival takes; the best runs all examples."""
        examples = np.delete(self.race.effort(nats * np.ones(self.race.arms)), best)
        return float(examples.sum() + examples.max())

    def _remaining(self, best: int) -> float:
        race = self.race
        missing = np.where(race.alive, race.threshold - race.evidence, 0.0)
        left = self._rollouts(best, missing)
        if race.population is not None:
            left = min(left, float((race.population - race.seen) * race.alive.sum()))
        return left

    def _standings(self, best: int) -> tuple[Standing, ...]:
        race = self.race
        means = [s.mean for s in self.scores]
        order = sorted(range(race.arms), key=lambda i: (i != best, not race.alive[i], -means[i]))
        return tuple(self._standing(i, rank) for rank, i in enumerate(order, 1))

    def _standing(self, i: int, rank: int) -> Standing:
        race, scores = self.race, self.scores[i]
        # All K intervals hold together, so that also the one of the winner, chosen late, does.
        low, high = scores.ends(self.delta / race.arms)
        by = int(race.beaten_by[i])
        return Standing(
            self.ids[i],
            rank,
            scores.mean,
            low,
            high,
            scores.count,
            float(min(race.evidence[i], 99.0)),
            bool(race.alive[i]),
            self.ids[by] if by >= 0 else None,
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
