"""Fixed budgets: successive halving and Hyperband. They promise no error rate.

Sources: Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016; Li et al. 2018 (eta = 3), with
examples as the resource.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from benchmarks.pick.races.outcome import Outcome
from benchmarks.pick.races.worlds import Tables
from numpy.typing import NDArray

__all__ = ["hyperband", "successive_halving"]

Floats = NDArray[np.float64]


def successive_halving(tables: Tables, delta: float, budget: int) -> Outcome:
    """Spend budget / log2 K in each round, halve the field by the means so far."""
    del delta
    return _all(tables, budget, lambda x, _rng, limit: _bracket(x, limit, 2)[:2])


def hyperband(tables: Tables, delta: float, budget: int) -> Outcome:
    """Brackets from bold to timid on random subsets share the budget; the best mean is named."""
    del delta
    return _all(tables, budget, _hyperband)


Run = Callable[[Floats, np.random.Generator, int], tuple[int, int]]


def _all(tables: Tables, budget: int, run: Run) -> Outcome:
    reps = len(tables.scores)
    answer, rollouts = np.zeros(reps, np.int64), np.zeros(reps, np.int64)
    for r, table in enumerate(tables.scores):
        answer[r], rollouts[r] = run(table, np.random.default_rng(r), budget)
    return Outcome(answer, rollouts, np.ones(reps, bool))


def _bracket(table: Floats, budget: int, eta: int) -> tuple[int, int, float]:
    """Winner, rollouts, and mean of the winner."""
    examples, size = table.shape
    left, seen, spent = np.arange(size), 0, 0
    rounds = max(1, math.ceil(math.log(size, eta))) if size > 1 else 1
    mean = table[:1].mean(0)
    for _ in range(rounds):
        more = min(examples - seen, max(1, budget // (rounds * len(left))))
        seen, spent = seen + more, spent + more * len(left)
        mean = table[:seen, left].mean(0)
        left = left[np.argsort(-mean, kind="stable")[: max(1, math.ceil(len(left) / eta))]]
        if seen >= examples:
            break
    winner = int(left[table[:seen, left].mean(0).argmax()])
    return winner, spent, float(table[:seen, winner].mean())


def _hyperband(table: Floats, rng: np.random.Generator, budget: int) -> tuple[int, int]:
    size = table.shape[1]
    brackets = max(1, math.floor(math.log(size, 3)) + 1)
    found, spent = [], 0
    for s in range(brackets):
        few = max(1, math.ceil(size / 3**s))
        chosen = np.arange(size) if s == 0 else rng.permutation(size)[:few]
        winner, used, mean = _bracket(table[:, chosen], budget // brackets, 3)
        found.append((mean, int(chosen[winner])))
        spent += used
    return max(found)[1], spent
