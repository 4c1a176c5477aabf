"""Races that look at the data at set times: paired tests after 10, 15, 22, ... examples.

`alike` plays all candidates alike until the leader passes the test against every rival; `drop`
lets go of each rival that fails it. The test decides whether the promise holds. An error needs a
test, at some look, of the leader of that moment against the true best: delta is shared among looks
alone, not among candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from benchmarks.pick.races.outcome import Method, Outcome
from benchmarks.pick.races.worlds import Tables
from numpy.typing import NDArray

__all__ = ["alike", "bernstein", "drop", "every_look", "looks", "t_bonferroni"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
FIRST, GROWTH = 10, 1.5

Test = Callable[[Floats, Floats, int, float, float, int], Bools]
"""Mean and variance (R, K) of the leader's lead over each after n examples; n; the share of
examples still unseen (1 if endless); delta and the number of tests -> lead proven (R, K)."""


def looks(examples: int) -> list[int]:
    """Numbers of examples after which to look: 10, half as many more each time, and all."""
    out, at = [], float(FIRST)
    while at < examples:
        out.append(int(at))
        at *= GROWTH
    return [*out, examples]


def every_look(
    mean: Floats, variance: Floats, count: int, unseen: float, delta: float, tests: int
) -> Bools:
    """Paired t-test at level delta at every look: NOT valid, it gets many chances to err."""
    del tests
    return _t_test(mean, variance, count, unseen, delta)


def t_bonferroni(
    mean: Floats, variance: Floats, count: int, unseen: float, delta: float, tests: int
) -> Bools:
    """Paired t-test with delta shared among all looks: valid when n is large."""
    return _t_test(mean, variance, count, unseen, delta / tests)


def _t_test(mean: Floats, variance: Floats, count: int, unseen: float, level: float) -> Bools:
    from scipy.stats import t

    error = np.sqrt(np.maximum(variance * unseen / count, 1e-12))
    return np.asarray(mean > t.isf(level, count - 1) * error)


def bernstein(
    mean: Floats, variance: Floats, count: int, unseen: float, delta: float, tests: int
) -> Bools:
    """Empirical Bernstein bound (Mnih, Szepesvari & Audibert 2008): valid for scores in [0, 1]."""
    del unseen
    share = np.log(3.0 * tests / delta)
    return np.asarray(mean > np.sqrt(2.0 * variance * share / count) + 6.0 * share / count)


def _run(tables: Tables, delta: float, budget: int, test: Test, dropping: bool) -> Outcome:
    del budget
    scores = tables.scores
    reps, examples, size = scores.shape
    times = looks(examples)
    alive, rows = np.ones((reps, size), bool), np.arange(reps)
    answer, rollouts = np.zeros(reps, np.int64), np.zeros(reps, np.int64)
    open_, seen = np.ones(reps, bool), 0
    for at in times:
        rollouts[open_] += ((alive if dropping else np.ones_like(alive)).sum(1) * (at - seen))[
            open_
        ]
        seen, part = at, scores[:, :at]
        leader = np.where(alive, part.mean(1), -1.0).argmax(1)
        lead = part[rows, :, leader][:, :, None] - part
        unseen = 1.0 - at / examples if tables.whole else 1.0
        proven = test(lead.mean(1), lead.var(1, ddof=1), at, unseen, delta, len(times))
        if tables.whole and at == examples:
            proven = np.ones_like(proven)
        alive = alive & ~proven if dropping else ~proven
        alive[rows, leader] = True
        answer = np.where(open_, leader, answer)
        open_ = open_ & (alive.sum(1) > 1)
        if not open_.any():
            break
    return Outcome(answer, rollouts, ~open_)


def alike(test: Test) -> Method:
    """All candidates on every example until the leader is proven."""
    return partial(_run, test=test, dropping=False)


def drop(test: Test) -> Method:
    """A race in which a rival is dropped once the leader's lead over it is proven."""
    return partial(_run, test=test, dropping=True)
