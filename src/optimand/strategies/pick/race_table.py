"""A race by scores as the run knows it: records in, verdicts out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimand.core.action import Outcome, Rollout
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.failed_runs import FailedRuns
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.statistics.divergence import certainty_cost
from optimand.statistics.mean_interval import MeanInterval
from optimand.statistics.race import Race
from optimand.strategies.pick.baseline import Gains
from optimand.strategies.pick.history import History

__all__ = ["RaceTable"]


class RaceTable:
    """A race of the run's candidates, each candidate's scores, and the verdict they give.

    `delta`: level of the intervals, of which all hold together with probability 1 - delta.
    `examples`: how many there are to race on.
    """

    def __init__(self, run: Run, race: Race, delta: float, examples: float = math.inf) -> None:
        self.candidates = run.candidates
        self.ids = [c.id for c in run.candidates]
        self.index = {name: i for i, name in enumerate(self.ids)}
        self.delta, self.race = delta, race
        base, population = race.baseline, race.population
        self.gains: Gains | None = None
        if base is not None:
            self.gains = Gains(len(self.ids), base, delta, 1.0, population)
        # Phases apart, so that no decision waits for the work on all intervals at once.
        self.scores = [MeanInterval(population, 5 * i) for i in range(len(self.ids))]
        self.taken = 0
        self.runs = 0
        self.examples = examples
        self.failed = FailedRuns()
        self.history = History(self.ids)
        self.carried: Mapping[str, Any] | None = None

    def rollout(self, example: Example) -> Rollout:
        """The next example, for those that are still to run."""
        running = zip(self.candidates, self.race.running, strict=True)
        return Rollout(tuple(c for c, runs in running if runs), (example,))

    def take(self, outcome: Outcome) -> None:
        """Take one example's records; those already out of the race only sharpen intervals."""
        self.taken += 1
        self.failed.take(outcome.records)
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
        self._note_gains(x)
        if not self.race.finished:
            self.race.update(x)
            self.history.add(self.runs, self._evidence())

    def _note_gains(self, x: NDArray[np.float64]) -> None:
        if self.gains is None or np.isnan(x[self.gains.baseline]):
            return
        for k in np.flatnonzero(~np.isnan(x)):
            self.gains.add(int(k), float(x[k] - x[self.gains.baseline]))

    def _evidence(self) -> list[float]:
        """Evidence against each; inf is certainty."""
        return [float(value) for value in self.race.evidence]

    def _behind(self) -> NDArray[np.bool_]:
        """Those in the race that scored less on the whole population: certainly not the best."""
        race = self.race
        behind = race.alive.copy()
        behind[race.tied()] = False
        return behind & race.seen_whole

    def verdict(self, reason: str, detail: str = "") -> Verdict:
        """The answer if the race ended now."""
        race, running = self.race, reason == "running"
        alive, tied = [int(i) for i in np.flatnonzero(race.alive)], race.tied()
        certain = race.seen_whole and len(tied) == 1
        near = bool(race.indifferent) and len(alive) > 1 and not certain
        decided = len(alive) == 1 or certain or near
        if reason == "separated" and race.seen_whole and not decided:
            reason, alive = "tied", tied
            detail = "equal scores on the whole population"
        elif decided and not running:
            reason, detail = ("indifferent" if near else "separated"), ""
        leader = int(
            race.leader
        )  # not always who is named: a baseline is, until one is proven better
        best = leader if certain else int(race.named)
        proven = (decided and not near) or bool(race.proven[best])
        return Verdict(
            decided,
            self.ids[best],
            reason,
            detail,
            1.0 - self.delta if near else self._confidence(best),
            self._standings(best),
            () if decided else tuple(self.ids[i] for i in alive),
            unit="rollouts",
            used=self.runs,
            least=None if running or self.carried else _finite(self._least(leader)),
            equal=None if self.carried else float(race.seen * race.arms),
            remaining=0.0 if decided else _finite(self._remaining(leader)),
            history={} if running else self.history.to_json(self.runs, self._evidence()),
            baseline=self.ids[self.gains.baseline] if self.gains else None,
            gain=self.gains.of(best, proven) if self.gains else None,
            carried=self.carried,
            failures=self.failed.to_json(),
        )

    def _confidence(self, best: int) -> float:
        evidence = np.where(self._behind(), math.inf, self.race.evidence)
        return 1.0 - math.exp(-max(0.0, float(np.delete(evidence, best).min())))

    def _least(self, best: int) -> float:
        """No method can do with less than one run of each."""
        least = self._rollouts(best, certainty_cost(self.delta))
        return max(least, float(self.race.arms))

    def _rollouts(self, best: int, nats: Any) -> float:
        """Rollouts that gathering `nats` against each rival takes; the best runs all examples."""
        examples = np.delete(self.race.effort(nats * np.ones(self.race.arms)), best)
        return float(examples.sum() + examples.max())

    def _remaining(self, best: int) -> float:
        race = self.race
        missing = np.where(race.alive, race.threshold - race.evidence, 0.0)
        left = self._rollouts(best, missing)
        unseen = self.examples - self.taken
        if race.population is not None:
            unseen = min(unseen, race.population - race.seen)
        elif unseen <= 0:  # what more examples would take
            return left
        return min(left, float(unseen) * float(race.alive.sum()))

    def _standings(self, best: int) -> tuple[Standing, ...]:
        race = self.race
        means = [s.mean for s in self.scores]
        order = sorted(range(race.arms), key=lambda i: (i != best, not race.alive[i], -means[i]))
        return tuple(self._standing(i, rank) for rank, i in enumerate(order, 1))

    def _standing(self, i: int, rank: int) -> Standing:
        race, scores = self.race, self.scores[i]
        # All K intervals hold together, so that also the one of the winner, chosen late, does.
        low, high = scores.ends(self.delta / race.arms)
        behind = bool(self._behind()[i])
        by = int(race.leader) if behind else int(race.beaten_by[i])
        return Standing(
            self.ids[i],
            rank,
            scores.mean,
            low,
            high,
            scores.count,
            math.inf if behind else float(race.evidence[i]),
            bool(race.alive[i]) and not behind,
            self.ids[by] if by >= 0 else None,
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
