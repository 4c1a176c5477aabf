"""Our race, one replication after the other, and the plainest alternative: run everything."""

from __future__ import annotations

import numpy as np
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import Tables

from optimand.statistics.race import Race

__all__ = ["everything", "race"]


def race(tables: Tables, delta: float, budget: int) -> Outcome:
    """`statistics.race.Race`, as production runs it."""
    del budget
    reps, examples, size = tables.scores.shape
    answer, rollouts = np.zeros(reps, np.int64), np.zeros(reps, np.int64)
    decided = np.zeros(reps, bool)
    for r in range(reps):
        state = Race(size, delta, examples if tables.whole else None)
        for row in tables.scores[r]:
            if state.finished:
                break
            rollouts[r] += int(state.alive.sum())
            state.update(np.where(state.alive, row, np.nan))
        answer[r], decided[r] = state.leader, state.finished
    return Outcome(answer, rollouts, decided)


def everything(tables: Tables, delta: float, budget: int) -> Outcome:
    """Every candidate on every example, then the highest mean; exact when these are all."""
    del delta, budget
    reps, examples, size = tables.scores.shape
    rollouts = np.full(reps, examples * size)
    return Outcome(tables.scores.mean(1).argmax(1), rollouts, np.full(reps, tables.whole))
