"""A duel as the run knows it: comparisons in, verdicts out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from optimand.core.action import Outcome
from optimand.core.failed_runs import FailedRuns
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_forecast import (
    equal_comparisons,
    least_comparisons,
    remaining_comparisons,
    win_rates,
)
from optimand.statistics.duel_stoppers import CYCLE, NEAR, WINNER
from optimand.statistics.mean_interval import MeanInterval
from optimand.strategies.pick.baseline import Gains
from optimand.strategies.pick.duel_costs import Spending
from optimand.strategies.pick.history import History

__all__ = ["DuelTable"]


class DuelTable:
    """The state of the duel under the candidates' ids, and the verdict it gives.

    `examples`: how many there are to compare on.
    """

    def __init__(self, run: Run, options: DuelOptions, examples: float = math.inf) -> None:
        self.ids = [c.id for c in run.candidates]
        self.index = {name: i for i, name in enumerate(self.ids)}
        self.delta = options.delta
        self.state = DuelState(len(self.ids), 1, options)
        self.outcomes: dict[tuple[int, int], MeanInterval] = {}
        self.taken = 0
        self.examples = examples
        self.failed = FailedRuns()
        self.executes = bool(getattr(run.task.judge, "needs_outputs", True))
        self.history = History(self.ids)
        self.carried: Mapping[str, Any] | None = None
        self.spending: Spending | None = None
        self.gains: Gains | None = None
        if options.baseline is not None:
            self.gains = Gains(len(self.ids), options.baseline, self.delta, 0.5)

    def take(self, outcome: Outcome) -> None:
        """Take one comparison; one whose service failed says nothing."""
        comparison = outcome.comparison
        assert comparison is not None
        self.taken += 1
        a, b = self.index[comparison.a], self.index[comparison.b]
        self.failed.compare(comparison, outcome.records if self.executes else ())
        if self.spending is not None:
            self.spending.take(outcome, a, b)
        if comparison.outcome is None:
            self.state.cancel([a], [b])
            return
        y = float(comparison.outcome)
        self.outcomes.setdefault((a, b), MeanInterval()).add(y)
        self.outcomes.setdefault((b, a), MeanInterval()).add(1.0 - y)
        if self.gains is not None and self.gains.baseline in (a, b):
            k, won = (a, y) if b == self.gains.baseline else (b, 1.0 - y)
            self.gains.add(k, won - 0.5)
        if self.state.done[0]:
            return
        self.state.update([a], [b], [y])
        self.history.add(self.taken, self.state.log_evidence[0])

    def verdict(self, reason: str, detail: str = "") -> Verdict:
        """The answer if the comparisons ended now."""
        state, running = self.state, reason == "running"
        kind = int(state.kind[0])
        best = int(state.answer[0]) if state.answer[0] >= 0 else int(state.named[0])
        decided = bool(state.done[0]) and kind != CYCLE
        unresolved = [i for i in range(len(self.ids)) if state.alive[0, i]]
        if kind == CYCLE:
            reason, unresolved = "cycle", state.top_cycle()
            detail = "no candidate beats all others"
        elif decided and not running:
            reason, detail = ("indifferent" if kind == NEAR else "separated"), ""
        weakest = float(np.delete(state.log_evidence[0], best).min())
        confidence = 1.0 - math.exp(-max(0.0, weakest))
        return Verdict(
            decided,
            None if kind == CYCLE and self.gains is None else self.ids[best],
            reason,
            detail,
            1.0 - self.delta if kind == NEAR else confidence,
            self._standings(best),
            () if decided else tuple(self.ids[i] for i in unresolved),
            used=self.taken,
            least=None if running or self.carried else least_comparisons(state),
            equal=None if self.carried else equal_comparisons(state),
            remaining=remaining_comparisons(state, self.examples - self.taken),
            measure="win rate against the leader",
            history={} if running else self.history.to_json(self.taken, state.log_evidence[0]),
            wins={"score": state.score[0].tolist(), "count": state.count[0].tolist()},
            baseline=self.ids[self.gains.baseline] if self.gains else None,
            gain=self._gain(best, kind == WINNER),
            carried=self.carried,
            failures=self.failed.to_json(),
        )

    def _gain(self, best: int, winner: bool) -> dict[str, Any] | None:
        if self.gains is None:
            return None
        guess = float(win_rates(self.state)[best, self.gains.baseline]) - 0.5
        return self.gains.of(best, winner or bool(self.state.evidence.proven[0, best]), guess)

    def _standings(self, best: int) -> tuple[Standing, ...]:
        state = self.state
        theta = state.model.theta[0]
        order = sorted(
            range(len(self.ids)), key=lambda i: (i != best, not state.alive[0, i], -theta[i])
        )
        return tuple(self._standing(i, rank, best) for rank, i in enumerate(order, 1))

    def _standing(self, i: int, rank: int, best: int) -> Standing:
        state, games = self.state, self.outcomes.get((i, best))
        estimate, low, high = 0.5, 0.0, 1.0
        if i == best:
            low = high = 0.5
        elif games is not None:
            estimate = games.mean
            # All intervals hold together, for any pair: the leader is chosen by the same games.
            low, high = games.ends(2.0 * self.delta / (state.arms * (state.arms - 1)))
        by = int(state.evidence.log_pair[0, i].argmax())
        return Standing(
            self.ids[i],
            rank,
            estimate,
            low,
            high,
            int(state.count[0, i].sum()),
            float(state.log_evidence[0, i]),
            bool(state.alive[0, i]),
            None if state.alive[0, i] else self.ids[by],
        )
