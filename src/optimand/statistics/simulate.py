"""Simulated duels: the same code that runs in production, against a known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.duel import DuelOptions, DuelState

__all__ = ["DuelRuns", "Grader", "simulate_duels"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Grader = Callable[[np.random.Generator, Ints, Ints], Floats]


@dataclass(frozen=True)
class DuelRuns:
    """Results of R simulated duels: tau comparisons used, answer (-1 none), kind; all (R,)."""

    tau: Ints
    answer: Ints
    kind: Ints


def simulate_duels(
    rates: Floats,
    rng: np.random.Generator,
    reps: int,
    options: DuelOptions | None = None,
    ties: float = 0.0,
    grader: Grader | None = None,
    horizon: int = 100_000,
) -> DuelRuns:
    """Play `reps` independent duels with win rates (K, K) until they stop or `horizon`.

    A comparison is a tie (score 1/2) with probability `ties`, otherwise row beats column with
    probability `rates[row, column]`. `grader(rng, a, b)` replaces this by scores in [0, 1].
    A duel cut off at the horizon has kind 0 (RUNNING).
    """
    state = DuelState(len(rates), reps, options)
    tau = np.full(reps, horizon)
    answer = np.full(reps, -1)
    kind = np.zeros(reps, np.int64)
    who = np.arange(reps)
    for step in range(1, horizon + 1):
        a, b = state.choose(rng)
        state.update(a, b, grader(rng, a, b) if grader else _outcome(rates, rng, ties, a, b))
        done = state.done
        if done.any():
            ended = who[done]
            tau[ended], answer[ended], kind[ended] = step, state.answer[done], state.kind[done]
            who = who[~done]
            if not len(who):
                break
            state.select(~done)
    return DuelRuns(tau, answer, kind)


def _outcome(rates: Floats, rng: np.random.Generator, ties: float, a: Ints, b: Ints) -> Floats:
    won = (rng.random(len(a)) < rates[a, b]).astype(float)
    return np.where(rng.random(len(a)) < ties, 0.5, won) if ties else won
