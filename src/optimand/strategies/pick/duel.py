"""Pick by comparisons: adaptively chosen pairs on fresh examples, until the answer is safe."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from optimand.core.action import Compare, Outcome, Steps
from optimand.core.errors import Stopped
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_forecast import (
    equal_comparisons,
    least_comparisons,
    remaining_comparisons,
)
from optimand.statistics.duel_stoppers import CYCLE, NEAR, betting_stop
from optimand.statistics.mean_interval import MeanInterval
from optimand.strategies.pick.history import History
from optimand.strategies.pick.order import shuffled

__all__ = ["Duel"]


@dataclass(frozen=True)
class Duel:
    """Compare pairs chosen to be the most telling (see statistics.duel); needs a pairwise judge.

    Every comparison uses a fresh example; outcomes are taken in the order started, which the
    guarantee needs and which makes a run independent of timing.
    """

    options: DuelOptions = field(default_factory=DuelOptions)
    split: str = "all"
    name: str = "duel"
    ordered: bool = True

    def stopping_line(self, arms: int) -> float | None:
        """Evidence in nats at which one of `arms` is given up; None for another stopper."""
        if self.options.stopper is not betting_stop:
            return None
        return DuelState(arms, 1, self.options).evidence.need_elimination

    def __call__(self, run: Run) -> Steps:
        """Yield one comparison at a time."""
        examples = run.task.splits[self.split]
        rng = np.random.default_rng(run.seed)
        example = shuffled(examples, rng)
        table = _Table(run, self.options)
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


class _Table:
    """The duel's state under the candidates' ids, and the verdict it gives."""

    def __init__(self, run: Run, options: DuelOptions) -> None:
        self.ids = [c.id for c in run.candidates]
        self.index = {name: i for i, name in enumerate(self.ids)}
        self.options = options
        self.state = DuelState(len(self.ids), 1, options)
        self.outcomes: dict[tuple[int, int], MeanInterval] = {}
        self.taken = 0
        self.history = History(self.ids)

    def take(self, outcome: Outcome) -> None:
        """Take one comparison; one whose service failed says nothing."""
        comparison = outcome.comparison
        assert comparison is not None
        self.taken += 1
        a, b = self.index[comparison.a], self.index[comparison.b]
        if comparison.outcome is None:
            self.state.cancel([a], [b])
            return
        y = float(comparison.outcome)
        self.outcomes.setdefault((a, b), MeanInterval()).add(y)
        self.outcomes.setdefault((b, a), MeanInterval()).add(1.0 - y)
        if self.state.done[0]:
            return
        self.state.update([a], [b], [y])
        self.history.add(self.taken, self.state.log_evidence[0])

    def verdict(self, reason: str, detail: str = "") -> Verdict:
        """The answer if the comparisons ended now."""
        state, running = self.state, reason == "running"
        kind = int(state.kind[0])
        best = int(state.answer[0]) if state.answer[0] >= 0 else int(state.leader[0])
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
            None if kind == CYCLE else self.ids[best],
            reason,
            detail,
            1.0 - self.options.delta if kind == NEAR else confidence,
            self._standings(best),
            () if decided else tuple(self.ids[i] for i in unresolved),
            used=self.taken,
            least=None if running else least_comparisons(state),
            equal=equal_comparisons(state),
            remaining=remaining_comparisons(state),
            measure="win rate against the leader",
            history={} if running else self.history.to_json(self.taken, state.log_evidence[0]),
            wins={"score": state.score[0].tolist(), "count": state.count[0].tolist()},
        )

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
            low, high = games.ends(2.0 * self.options.delta / (state.arms * (state.arms - 1)))
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
