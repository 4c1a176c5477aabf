"""Our race, and the plainest alternative: run everything."""

from __future__ import annotations

import numpy as np
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import Tables

from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_races

__all__ = ["everything", "our_race"]


def our_race(tables: Tables, delta: float, budget: int) -> Outcome:
    """`statistics.race.Race`, as production runs it."""
    del budget
    reps, examples, size = tables.scores.shape
    population = examples if tables.whole else None
    race = Race(size, delta, population, batch=(reps,))
    made = simulate_races(lambda n, who: tables.scores[who, n], race, examples=examples)
    return Outcome(made.answer, made.rollouts, made.decided)


def everything(tables: Tables, delta: float, budget: int) -> Outcome:
    """Every candidate on every example, then the highest mean; exact when these are all."""
    del delta, budget
    reps, examples, size = tables.scores.shape
    rollouts = np.full(reps, examples * size)
    return Outcome(tables.scores.mean(1).argmax(1), rollouts, np.full(reps, tables.whole))
