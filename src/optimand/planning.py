"""The verb `plan`: what picking will take, by simulation, before it is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimand.core.arguments import check_arguments
from optimand.core.errors import InputError
from optimand.core.task import Task
from optimand.pilot import Pilot, read_pilot
from optimand.plan_result import Plan, PlanRow
from optimand.result import PickResult
from optimand.statistics.divergence import sigmoid
from optimand.statistics.duel import DuelOptions
from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_duels, simulate_races

__all__ = ["plan"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Sizes = Callable[[float], tuple[Floats, Floats, Bools]]
"""From a confidence to what each simulated run used, units and examples, and whether it ended."""

CONFIDENCES = (0.9, 0.95, 0.99)
GAPS = {"rollouts": (0.2, 0.1, 0.05), "comparisons": (0.15, 0.1, 0.05)}
LEVEL = 0.7
"""Assumed score of the best candidate."""
MOST = {"rollouts": 60_000, "comparisons": 20_000}
"""A simulated run that needs more is given up."""
APART, TIED, AS_PILOT = "each a gap below the last", "all a gap below the best", "as in the pilot"


def plan(
    candidates: Sequence[Any],
    task: Task,
    *,
    gaps: Sequence[float] = (),
    confidences: Sequence[float] = CONFIDENCES,
    pilot: Pilot | PickResult | None = None,
    usd: float | None = None,
    seconds: float | None = None,
    runs: int = 100,
) -> Plan:
    """Simulate `pick`, by the default rule for the task's judge, and say what it takes.

    gaps: assumed differences between the best and the next, of mean scores or of win rates above
    one half, in (0, 0.5). usd, seconds: per rollout or comparison, if known. runs: simulated runs
    a row, 20 or more. pilot: the result of a run with a small budget, 30 examples or comparisons,
    say. Its estimates with their uncertainty then replace the gaps, its costs and times replace
    usd and seconds. Nothing is called. Raises InputError for what cannot be simulated.
    """
    for level in confidences:
        check_arguments(task, level, seed=0)
    _check(candidates, confidences, gaps, runs)
    pairs = task.judge is not None and task.judge.kind == "pair"
    unit = "comparisons" if pairs else "rollouts"
    found = _pilot(pilot)
    examples, size, rng = len(task.splits["all"]), len(candidates), np.random.default_rng(0)
    if found is not None:
        usd, seconds = found.usd, found.seconds
        worlds = _as_found(found, examples, rng, runs)
    elif pairs:
        worlds = _assumed_duels(size, gaps or GAPS[unit], rng, runs)
    else:
        whole = examples if task.population == "whole" else None
        worlds = _assumed_races(size, gaps or GAPS[unit], whole, rng, runs)
    rows = [
        _row((rivals, gap, level), sizes(level), examples, (usd, seconds))
        for rivals, gap, sizes in worlds
        for level in confidences
    ]
    return Plan(tuple(rows), unit, size, runs, found.used if found else 0)


def _pilot(given: Pilot | PickResult | None) -> Pilot | None:
    if given is None or isinstance(given, Pilot):
        return given
    if given.source is None:
        raise InputError("this result does not know its log: give `pilot` one that pick returned")
    return read_pilot(given.source, given.study)


def _check(
    candidates: Sequence[Any], confidences: Sequence[float], gaps: Sequence[float], runs: int
) -> None:
    if len(candidates) < 2:
        raise InputError(f"{len(candidates)} candidate(s) given: picking needs at least 2")
    if not confidences:
        raise InputError("there are no confidences to plan for; name at least one")
    if not all(0.0 < g < 0.5 for g in gaps):
        raise InputError(f"gaps are {list(gaps)}; they must lie between 0 and 0.5")
    if runs < 20:
        raise InputError(f"{runs} runs cannot show a range; simulate at least 20")


World = tuple[str, float | None, Sizes]


def _places(size: int, gaps: Sequence[float]) -> Iterator[tuple[str, float, NDArray[np.int64]]]:
    """Each way in which rivals may stand, with each gap: how many gaps below the best (K,)."""
    ladder = np.arange(size)
    for rivals, place in ((APART, ladder), (TIED, np.minimum(ladder, 1)))[: 2 if size > 2 else 1]:
        for gap in gaps:
            yield rivals, gap, place


def _assumed_duels(
    size: int, gaps: Sequence[float], rng: np.random.Generator, runs: int
) -> Iterator[World]:
    for rivals, gap, place in _places(size, gaps):
        step = np.log((0.5 + gap) / (0.5 - gap))
        yield rivals, gap, _duels(-step * place[None], 0.0, rng, runs)


def _duels(theta: Floats, ties: float, rng: np.random.Generator, runs: int) -> Sizes:
    """Duels of candidates with strengths theta (1 or R, K)."""

    def sizes(level: float) -> tuple[Floats, Floats, Bools]:
        rates = sigmoid(theta[:, :, None] - theta[:, None, :])
        options = DuelOptions(delta=1.0 - level)
        made = simulate_duels(rates, rng, runs, options, ties, horizon=MOST["comparisons"])
        used = made.tau.astype(float)
        return used, used, made.kind > 0

    return sizes


def _assumed_races(
    size: int, gaps: Sequence[float], whole: int | None, rng: np.random.Generator, runs: int
) -> Iterator[World]:
    for rivals, gap, place in _places(size, gaps):
        means = np.clip(LEVEL - gap * place, 0.0, 1.0)

        def draw(shape: tuple[int, ...], means: Floats = means) -> Floats:
            return (rng.random((*shape, size)) < means).astype(float)

        if whole:
            yield rivals, gap, _races(_table(draw((runs, whole))), size, whole, runs)
        else:
            yield rivals, gap, _races(lambda _, who: draw(who.shape), size, None, runs)


Rows = Callable[[int, NDArray[np.int64]], Floats]


def _table(scores: Floats) -> Rows:
    """The rows of scores (R, N, K), one example after another."""
    return lambda n, who: scores[who, n]


def _races(rows: Rows, size: int, population: int | None, runs: int) -> Sizes:
    def sizes(level: float) -> tuple[Floats, Floats, Bools]:
        race = Race(size, 1.0 - level, population, batch=(runs,))
        made = simulate_races(rows, race, MOST["rollouts"])
        return made.rollouts.astype(float), made.examples.astype(float), made.decided

    return sizes


def _as_found(pilot: Pilot, examples: int, rng: np.random.Generator, runs: int) -> Iterator[World]:
    """Truths drawn around the pilot's estimates, so that their uncertainty is part of the range."""
    if pilot.scores is None:
        yield AS_PILOT, None, _duels(pilot.strengths(rng, runs), pilot.ties, rng, runs)
        return
    worlds, size = pilot.resampled(rng, runs), pilot.scores.shape[1]

    def draw(who: NDArray[np.int64]) -> Floats:
        return np.asarray(worlds[who, rng.integers(worlds.shape[1], size=len(who))])

    if pilot.whole:
        table = np.stack([draw(np.arange(runs)) for _ in range(examples)], 1)
        yield AS_PILOT, None, _races(_table(table), size, examples, runs)
    else:
        yield AS_PILOT, None, _races(lambda _, who: draw(who), size, None, runs)


def _row(
    about: tuple[str, float | None, float],
    made: tuple[Floats, Floats, Bools],
    examples: int,
    price: tuple[float | None, float | None],
) -> PlanRow:
    units, used, ended = made
    low, median, high = np.quantile(
        np.where(ended, units, np.inf), (0.05, 0.5, 0.95), method="closest_observation"
    )
    mean = float(units.mean())
    usd, seconds = (None if each is None else each * mean for each in price)
    return PlanRow(
        *about,
        mean,
        float(median),
        float(low),
        float(high),
        float((ended & (used <= examples)).mean()),
        float(ended.mean()),
        usd,
        seconds,
    )
