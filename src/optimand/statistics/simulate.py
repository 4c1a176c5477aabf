"""Simulated duels and races: the same code that runs in production, against a known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.race import Race

__all__ = ["DuelRuns", "Grader", "RaceRuns", "simulate_duels", "simulate_races"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Grader = Callable[[np.random.Generator, Ints, Ints], Floats]


@dataclass(frozen=True)
class DuelRuns:
    """Results of R simulated duels: tau comparisons used, answer (-1 none), kind; all (R,).

    named: the answer, or who is named where there is none (see DuelState.named).
    """

    tau: Ints
    answer: Ints
    kind: Ints
    named: Ints


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

    Win rates (R, K, K) give every replication its own.

    A comparison is a tie (score 1/2) with probability `ties`, otherwise row beats column with
    probability `rates[row, column]`. `grader(rng, a, b)` replaces this by scores in [0, 1].
    A duel cut off at the horizon has kind 0 (RUNNING).
    """
    rates = np.broadcast_to(rates, (reps, *rates.shape[-2:]))
    state = DuelState(rates.shape[-1], reps, options)
    tau = np.full(reps, horizon)
    answer, named = np.full(reps, -1), np.full(reps, -1)
    kind = np.zeros(reps, np.int64)
    who = np.arange(reps)
    for step in range(1, horizon + 1):
        a, b = state.choose(rng)
        won = grader(rng, a, b) if grader else _outcome(rates[who, a, b], rng, ties)
        state.update(a, b, won)
        done = state.done
        if done.any():
            ended = who[done]
            tau[ended], answer[ended], kind[ended] = step, state.answer[done], state.kind[done]
            named[ended] = state.named[done]
            who = who[~done]
            state.select(~done)
            if not len(who):
                break
    named[who] = state.named
    return DuelRuns(tau, answer, kind, np.where(answer >= 0, answer, named))


def _outcome(rate: Floats, rng: np.random.Generator, ties: float) -> Floats:
    won = (rng.random(len(rate)) < rate).astype(float)
    return np.where(rng.random(len(rate)) < ties, 0.5, won) if ties else won


@dataclass(frozen=True)
class RaceRuns:
    """Results of R simulated races: rollouts and examples used, answer, whether decided; (R,).

    answer: who is named, also where it is not decided (see Race.named).
    """

    rollouts: Ints
    examples: Ints
    answer: Ints
    decided: NDArray[np.bool_]


def simulate_races(
    scores: Callable[[int, Ints], Floats],
    race: Race,
    spend: int = 200_000,
    examples: int | None = None,
) -> RaceRuns:
    """Run the R new races of `race`, made with batch=(R,), side by side.

    `scores(n, who)` gives the scores (W, K) in [0, 1] on example n in the races `who` (W,). A race
    ends when it is decided, has made `spend` rollouts, or has used all `examples`.
    """
    reps = len(race.total)
    rollouts, seen, answer = (np.zeros(reps, np.int64) for _ in range(3))
    decided = np.zeros(reps, bool)
    who, used, n = np.arange(reps), np.zeros(reps, np.int64), 0
    while len(who):
        running = race.running
        used += running.sum(1)
        race.update(np.where(running, scores(n, who), np.nan))
        n += 1
        over = race.finished | (used >= spend) | (n == examples)
        if over.any():
            ended = who[over]
            rollouts[ended], seen[ended] = used[over], n
            answer[ended], decided[ended] = race.named[over], race.finished[over]
            race.select(~over)
            who, used = who[~over], used[~over]
    return RaceRuns(rollouts, seen, answer, decided)
