"""Worlds in which a run of `pick` is simulated for a plan: assumed ones, or those like a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optimand.pilot import Pilot
from optimand.statistics.divergence import sigmoid
from optimand.statistics.duel import DuelOptions
from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_duels, simulate_races

__all__ = ["Rule", "World", "worlds"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sizes = Callable[[float], tuple[Floats, Floats, Bools]]
"""From a confidence to what each simulated run used, units and examples, and whether it ended."""
World = tuple[str, float | None, Sizes]
"""How the rivals stand, the gap, and the runs."""
Rows = Callable[[int, Ints], Floats]
Some = Callable[[int, int], tuple[Floats, Floats, Bools]]
"""What some of the runs used, from the first and their number."""

ROLLOUT_GAPS, COMPARISON_GAPS = (0.2, 0.1, 0.05), (0.15, 0.1, 0.05)
LEVEL = 0.7
"""Assumed score of the best candidate."""
MOST_ROLLOUTS, MOST_COMPARISONS = 60_000, 20_000
"""A simulated run that needs more is given up."""
STATE = 300_000
"""Pairs of candidates, over all runs that are simulated side by side."""
APART, TIED, AS_PILOT = "each a gap below the last", "all a gap below the best", "as in the pilot"


@dataclass(frozen=True)
class Rule:
    """The rule of the runs: a duel's options, or None for a race with this indifference.

    baseline: index of the candidate that is kept unless another is proven better.
    """

    duel: DuelOptions | None
    indifference: float = 0.0
    baseline: int | None = None


def worlds(
    rule: Rule,
    size: int,
    gaps: tuple[float, ...],
    pilot: Pilot | None,
    population: int,
    rng: np.random.Generator,
    runs: int,
) -> Iterator[World]:
    """The worlds of `size` candidates; as in the pilot, if there is one.

    population: number of examples where they are all that matters, else 0.
    """
    if pilot is not None:
        yield _as_found(rule, pilot, population, rng, runs)
        return
    for rivals, gap, place in _places(
        size, gaps or (COMPARISON_GAPS if rule.duel else ROLLOUT_GAPS)
    ):
        if rule.duel is not None:
            step = np.log((0.5 + gap) / (0.5 - gap))
            yield rivals, gap, _duels(rule, -step * place[None], 0.0, rng, runs)
            continue
        means = np.clip(LEVEL - gap * place, 0.0, 1.0)
        yield (
            rivals,
            gap,
            _races(rule, _coins(means, population, rng, runs), size, population, runs),
        )


def _coins(means: Floats, population: int, rng: np.random.Generator, runs: int) -> Rows:
    """Scores of 0 or 1 with these means (K,), fresh or from a population for each run."""

    def draw(count: int) -> Bools:
        return rng.random((count, len(means))) < means

    if population:
        return _table(np.stack([draw(population) for _ in range(runs)]))
    return lambda _, who: draw(len(who)).astype(float)


def _places(size: int, gaps: tuple[float, ...]) -> Iterator[tuple[str, float, Ints]]:
    """Each way in which rivals may stand, with each gap: how many gaps below the best (K,)."""
    ladder = np.arange(size)
    for rivals, place in ((APART, ladder), (TIED, np.minimum(ladder, 1)))[: 2 if size > 2 else 1]:
        for gap in gaps:
            yield rivals, gap, place


def _duels(rule: Rule, theta: Floats, ties: float, rng: np.random.Generator, runs: int) -> Sizes:
    """Duels of candidates with strengths theta (1 or R, K)."""
    assert rule.duel is not None
    given = replace(rule.duel, baseline=rule.baseline)

    def sizes(level: float) -> tuple[Floats, Floats, Bools]:
        options = replace(given, delta=1.0 - level)

        def some(first: int, count: int) -> tuple[Floats, Floats, Bools]:
            own = theta[first : first + count] if len(theta) > 1 else theta
            rates = sigmoid(own[:, :, None] - own[:, None, :])
            made = simulate_duels(rates, rng, count, options, ties, horizon=MOST_COMPARISONS)
            used = made.tau.astype(float)
            return used, used, made.kind > 0

        return _sliced(some, runs, theta.shape[1])

    return sizes


def _sliced(some: Some, runs: int, size: int) -> tuple[Floats, Floats, Bools]:
    """All runs, with the state of no more at a time than fits: (K, K) for each, and more."""
    step = max(1, STATE // size**2)
    made = [some(first, min(step, runs - first)) for first in range(0, runs, step)]
    units, used, ended = zip(*made, strict=True)
    return np.concatenate(units), np.concatenate(used), np.concatenate(ended)


def _table(scores: Floats | Bools) -> Rows:
    """The rows of scores (R, N, K), one example after another."""
    return lambda n, who: scores[who, n].astype(float)


def _races(rule: Rule, rows: Rows, size: int, population: int, runs: int) -> Sizes:
    def sizes(level: float) -> tuple[Floats, Floats, Bools]:
        def some(first: int, count: int) -> tuple[Floats, Floats, Bools]:
            race = Race(
                size,
                1.0 - level,
                population or None,
                rule.indifference,
                batch=(count,),
                baseline=rule.baseline,
            )
            made = simulate_races(lambda n, who: rows(n, first + who), race, MOST_ROLLOUTS)
            return made.rollouts.astype(float), made.examples.astype(float), made.decided

        return _sliced(some, runs, size)

    return sizes


def _as_found(
    rule: Rule, pilot: Pilot, population: int, rng: np.random.Generator, runs: int
) -> World:
    """Truths drawn around the pilot's estimates, so that their uncertainty is part of the range."""
    if pilot.scores is None:
        return AS_PILOT, None, _duels(rule, pilot.strengths(rng, runs), pilot.ties, rng, runs)
    drawn, size = pilot.resampled(rng, runs), pilot.scores.shape[1]

    def draw(who: Ints) -> Floats:
        return np.asarray(drawn[who, rng.integers(drawn.shape[1], size=len(who))])

    if not pilot.whole:
        return AS_PILOT, None, _races(rule, lambda _, who: draw(who), size, 0, runs)
    table = np.stack([draw(np.arange(runs)) for _ in range(population)], 1)
    return AS_PILOT, None, _races(rule, _table(table), size, population, runs)
