"""What pick is given, refused in words: candidates without names of their own, odd strategies."""

from decimal import Decimal

import numpy as np
import pytest

import optimand
from optimand import Artifact, Budget, Candidate, DuelTask, FunctionTask
from optimand.core.errors import InputError
from optimand.entries import entries_of
from optimand.statistics.duel import DuelOptions
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.halving import ScoreHalving
from optimand.strategies.pick.race import ScoreRace

TASK = FunctionTask(lambda value, example, seed: 0.5)


def pick(strategy, task=TASK, **options):
    return optimand.pick(["a", "b"], task, strategy=strategy, budget=Budget(calls=0), **options)


@pytest.mark.parametrize(
    ("strategy", "task"),
    [
        (ScoreRace(delta=0.5), TASK),
        (ScoreHalving(20, delta=0.5), TASK),
        (Duel(DuelOptions(delta=0.5)), DuelTask(lambda a, b, example, seed: 0.5)),
        (ScoreRace(delta=0.0001), TASK),
    ],
)
def test_a_strategy_of_another_level_than_the_confidence(strategy, task):
    with pytest.raises(InputError, match=r"confidence is 0\.999, and the strategy's delta is 0\."):
        pick(strategy, task, confidence=0.999)


def test_a_strategy_of_the_level_that_is_asked_for():
    spend = Budget(rollouts=4)
    options = {"strategy": ScoreRace(delta=0.001), "confidence": 0.999, "budget": spend}
    assert optimand.pick(["a", "b"], TASK, **options).reason == "budget"


@pytest.mark.parametrize(
    "make",
    [
        lambda: ScoreRace(delta=None),
        lambda: ScoreRace(delta=Decimal("0.05")),
        lambda: ScoreRace(delta=0),
        lambda: ScoreRace(indifference=1),
        lambda: ScoreRace(split=None),
        lambda: ScoreHalving(None),
        lambda: ScoreHalving(10, delta=1.0),
        lambda: Duel(options=None),
        lambda: Duel(split=[]),
        lambda: pick(ScoreRace(split="x")),
    ],
)
def test_options_that_cannot_be_meant(make):
    with pytest.raises(InputError, match=r"must|has 'all'"):
        make()


@pytest.mark.parametrize(
    "option",
    [
        {"delta": None},
        {"delta": Decimal("0.05")},
        {"delta": True},
        {"indifference": None},
        {"check": "x"},
        {"sampler": None},
        {"stopper": None},
    ],
)
def test_options_of_a_duel_that_cannot_be_meant(option):
    with pytest.raises(ValueError, match=f"{next(iter(option))} is .* must be"):
        DuelOptions(**option)


def named(value, name):
    return Candidate(Artifact({"value": value}), name)


def test_names_that_were_given_must_differ_and_say_something():
    with pytest.raises(InputError, match="two candidates are named 'x'"):
        entries_of([named(1, "x"), named(2, "x")], TASK)
    for blank in ("", " "):
        with pytest.raises(InputError, match="Give each one a name"):
            entries_of([named(1, blank), named(2, "x")], TASK)
        with pytest.raises(InputError, match="Give each one a name"):
            entries_of({blank: 1, "x": 2}, TASK)


def test_names_that_are_made_differ():
    long = ["x" * 300, 1]
    values = [[*long, 1], [*long, 2], "", " ", named(3, "''"), np.float64(1.0).item(), "1.0"]
    names = [entry.name for entry in entries_of(values, TASK)]
    assert len(set(names)) == len(names)
    assert all(name.strip() for name in names)
    assert names[1] == f"{names[0]} (2)"
    assert names[2] == "'' (2)"
