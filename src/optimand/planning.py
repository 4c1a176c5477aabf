"""The verb `plan`: what picking will take, by simulation, before it is paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from optimand.core.action import Strategy
from optimand.core.arguments import check_arguments
from optimand.core.errors import InputError
from optimand.core.given import need_number, need_whole
from optimand.core.task import Task
from optimand.core.usercode import shown
from optimand.entries import entries_of, rule_for
from optimand.pilot import Pilot, read_pilot
from optimand.plan_result import Plan, PlanRow
from optimand.plan_worlds import Bools, Floats, Rule, worlds
from optimand.result import PickResult
from optimand.statistics.duel import DuelOptions
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.race import ScoreRace

__all__ = ["plan"]

CONFIDENCES = (0.9, 0.95, 0.99)
MOST = 100
"""Candidates: the time of a simulation grows with their square."""


def plan(  # noqa: PLR0913 -- every option of the verb is named
    candidates: Sequence[Any] | Mapping[str, Any],
    task: Task,
    *,
    gaps: Sequence[float] = (),
    confidences: Sequence[float] = CONFIDENCES,
    pilot: Pilot | PickResult | None = None,
    strategy: Strategy | str | Mapping[str, Any] | None = None,
    baseline: str | None = None,
    usd: float | None = None,
    seconds: float | None = None,
    runs: int = 100,
) -> Plan:
    """Simulate `pick` with these arguments, and say what it takes.

    gaps: assumed differences between the best and the next, of mean scores or of win rates above
        one half, in (0, 0.5).
    pilot: the result of a run with a small budget, 30 examples or comparisons, say. Its estimates
        with their uncertainty then replace the gaps, its costs and times replace usd and seconds.
    strategy, baseline: as in `pick`. The baseline is assumed to be the weakest, unless a pilot
        says otherwise; a duel in a linear space is simulated as one that knows no features.
    usd, seconds: per rollout or comparison, if known.
    runs: simulated runs a row, 20 or more.
    Nothing is called. Raises InputError for what cannot be simulated, such as more than 100
    candidates.
    """
    _check(confidences, gaps, runs, (usd, seconds))
    for level in confidences:
        check_arguments(task, level, seed=0, strategy=strategy)
    entries = entries_of(candidates, task)
    if len(entries) > MOST:
        raise InputError(
            f"{len(entries)} candidates: a plan is for at most {MOST}. Plan for {MOST} of them: "
            "more take at least that much."
        )
    rule = _rule(rule_for(strategy, entries, task, None, baseline), len(entries))
    found = _pilot(pilot, [c.id for c in entries])
    if baseline is not None and found is not None:
        rule = replace(rule, baseline=[c.name for c in entries].index(baseline))
    examples, size, rng = len(task.splits["all"]), len(entries), np.random.default_rng(0)
    whole = examples if task.population == "whole" else None
    if found is not None:
        usd, seconds = found.usd, found.seconds
    rows = [
        _row((rivals, gap, level), sizes(level), examples, (usd, seconds))
        for rivals, gap, sizes in worlds(rule, size, tuple(gaps), found, whole or 0, rng, runs)
        for level in confidences
    ]
    unit = "comparisons" if rule.duel is not None else "rollouts"
    return Plan(tuple(rows), unit, size, runs, found.used if found else 0)


def _rule(given: Strategy, size: int) -> Rule:
    """What is simulated: the options of a race or a duel."""
    if isinstance(given, ScoreRace):
        return Rule(None, given.indifference, None if given.baseline is None else size - 1)
    if isinstance(given, Duel):
        options: DuelOptions = given.options
        if options.space == "linear":
            options = replace(options, space="general", features=None)
        return Rule(options, 0.0, None if given.baseline is None else size - 1)
    raise InputError(
        f"strategy {given.name!r} cannot be simulated: a plan is for 'race', 'duel' and 'llm-po'"
    )


def _pilot(given: Any, ids: Sequence[str]) -> Pilot | None:
    if given is None or isinstance(given, Pilot):
        return given
    if not isinstance(given, PickResult):
        raise InputError(f"pilot is {shown(given)}: it must be a result of pick, or None")
    if set(given.candidates) != set(ids):
        raise InputError("the pilot's candidates are others than these")
    if given.source is None:
        raise InputError("this result does not know its log: give `pilot` one that pick returned")
    return read_pilot(given.source, given.study)


def _check(confidences: Any, gaps: Any, runs: Any, price: tuple[Any, Any]) -> None:
    for what, given in (("confidences", confidences), ("gaps", gaps)):
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise InputError(f"{what} are {shown(given)}: give a list of numbers")
    if not confidences:
        raise InputError("there are no confidences to plan for; name at least one")
    for gap in gaps:
        need_number(gap, "one of the gaps", above=True)
    if not all(gap < 0.5 for gap in gaps):
        raise InputError(f"gaps are {list(gaps)}; they must lie between 0 and 0.5")
    need_whole(runs, "runs (20 show a range)", 20)
    for what, given in zip(("usd", "seconds"), price, strict=True):
        if given is not None:
            need_number(given, what)


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
