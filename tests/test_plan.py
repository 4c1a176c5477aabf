"""Plans: what they say is what runs then take."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import optimand
import optimand.plan_worlds
from optimand import Budget, DuelTask, Example, FunctionTask
from optimand.core.errors import InputError
from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_races
from optimand.strategies.pick.race import ScoreRace

MEANS = {"a": 0.8, "b": 0.6, "c": 0.4}


def coin(value, example, seed):
    return float(random.Random(f"{seed} {value} {example.id}").random() < MEANS[value])


def winner(a, b, example, seed):
    return float(random.Random(f"{seed} {example.id}").random() < (0.7 if a < b else 0.3))


def test_side_by_side_races_are_the_production_race():
    scores = (np.random.default_rng(0).random((30, 750, 4)) < (0.7, 0.6, 0.5, 0.4)).astype(float)
    for population in (None, 750):
        side_by_side = Race(4, 0.05, population, batch=(30,))
        made = simulate_races(lambda n, who, x=scores: x[who, n], side_by_side, 1_500)
        for r in range(30):
            race, used = Race(4, 0.05, population), 0
            for row in scores[r]:
                if race.finished or used >= 1_500:
                    break
                used += int(race.alive.sum())
                race.update(np.where(race.alive, row, np.nan))
            assert (used, race.seen, race.leader) == (
                made.rollouts[r],
                made.examples[r],
                made.answer[r],
            )


@pytest.mark.parametrize("task", [FunctionTask(coin), DuelTask(winner)])
def test_runs_in_slices_are_the_same_kind_of_runs(task, monkeypatch):
    options = {"gaps": (0.2,), "confidences": (0.95,), "runs": 40}
    whole = optimand.plan(list(MEANS), task, **options)
    monkeypatch.setattr(optimand.plan_worlds, "STATE", 9 * 7)
    sliced = optimand.plan(list(MEANS), task, **options)
    for one, other in zip(whole.rows, sliced.rows, strict=True):
        assert one.mean == pytest.approx(other.mean, rel=0.4)
        assert one.low <= other.median <= one.high


def test_a_plan_for_too_many():
    with pytest.raises(InputError, match="101 candidates: a plan is for at most 100"):
        optimand.plan([str(n) for n in range(101)], FunctionTask(coin))


def test_plan_of_a_race_foretells_its_size():
    found = optimand.plan(list(MEANS), FunctionTask(coin), gaps=(0.2,), confidences=(0.95,))
    apart = found.rows[0]
    used = [
        optimand.pick(list(MEANS), FunctionTask(coin), seed=seed).spent["rollouts"]
        for seed in range(40)
    ]
    assert found.unit == "rollouts"
    assert np.mean(used) == pytest.approx(apart.mean, rel=0.35)
    assert apart.low <= np.median(used) <= apart.high
    assert apart.usd is None
    assert apart.seconds is None


def test_smaller_gaps_and_higher_confidence_take_more():
    found = optimand.plan(list(MEANS), FunctionTask(coin), usd=0.01, seconds=2.0)
    means = {(row.rivals[:4], row.gap, row.confidence): row.mean for row in found.rows}
    assert len(means) == 2 * 3 * 3
    for rivals in ("each", "all "):
        assert means[rivals, 0.2, 0.95] < means[rivals, 0.1, 0.95] < means[rivals, 0.05, 0.95]
        assert means[rivals, 0.2, 0.9] < means[rivals, 0.2, 0.99]
    for row in found.rows:
        assert row.usd == pytest.approx(0.01 * row.mean)
        assert row.seconds == pytest.approx(2.0 * row.mean)


def test_plan_of_duels_after_a_pilot():
    task = DuelTask(winner)
    pilot = optimand.pick(list("abc"), task, budget=Budget(comparisons=40))
    found = optimand.plan(list("abc"), task, pilot=pilot, confidences=(0.9, 0.95))
    assert (found.unit, found.paid) == ("comparisons", 40)
    assert [row.gap for row in found.rows] == [None, None]
    whole = optimand.pick(list("abc"), task)
    assert found.rows[1].low <= whole.spent["comparisons"] <= found.rows[1].high


def test_plan_of_a_race_after_a_pilot_knows_what_was_paid():
    task = FunctionTask(coin)
    pilot = optimand.pick(list(MEANS), task, budget=Budget(rollouts=90))
    found = optimand.plan(list(MEANS), task, pilot=pilot, confidences=(0.95,))
    assert found.paid == 90
    assert found.rows[0].seconds is not None
    assert "90 rollouts are made already" in str(found)


def test_examples_limit_what_is_decided():
    few = FunctionTask(coin, [Example(str(i), i) for i in range(20)])
    row = optimand.plan(list(MEANS), few, gaps=(0.05,), confidences=(0.95,)).rows[0]
    assert row.decided < 0.2
    assert row.ended > 0.9


def test_a_whole_population_is_never_exceeded():
    whole = FunctionTask(coin, [Example(str(i), i) for i in range(100)], population="whole")
    for row in optimand.plan(list(MEANS), whole, gaps=(0.02,), confidences=(0.95,)).rows:
        assert row.high <= 300


def test_equal_candidates_are_said_not_to_end():
    def same(value, example, seed):
        return float(random.Random(example.id + str(seed)).random() < 0.5)

    task = FunctionTask(same)
    pilot = optimand.pick(list("ab"), task, budget=Budget(rollouts=60))
    found = optimand.plan(list("ab"), task, pilot=pilot, confidences=(0.95,), runs=20)
    assert found.rows[0].ended == 0
    assert math.isinf(found.rows[0].low)
    assert found.to_json()["rows"][0]["low"] is None
    assert "≥" in str(found)
    assert "more to more" in str(found)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"gaps": (0.6,)}, "gaps"),
        ({"confidences": (1.0,)}, "confidence is 1.0"),
        ({"confidences": ()}, "no confidences"),
        ({"runs": 5}, "20 or more"),
    ],
)
def test_what_cannot_be_simulated_is_refused(wrong, says):
    with pytest.raises(InputError, match=says):
        optimand.plan(list("ab"), FunctionTask(coin), **wrong)


def test_a_pilot_that_says_too_little_is_refused():
    task = FunctionTask(coin)
    pilot = optimand.pick(list(MEANS), task, budget=Budget(rollouts=9))
    with pytest.raises(InputError, match="at least 10"):
        optimand.plan(list(MEANS), task, pilot=pilot)
    with pytest.raises(InputError, match="at least 2"):
        optimand.plan(["a"], task)
    with pytest.raises(InputError, match="it must be a task"):
        optimand.plan(["a", "b"], coin)


def test_the_plan_is_for_the_strategy_that_will_run():
    names, task = list("abcd"), DuelTask(winner)
    plain = optimand.plan(names, task, gaps=(0.1,), confidences=(0.95,))
    proves = {"type": "duel", "assume": "nothing"}
    direct = optimand.plan(names, task, gaps=(0.1,), confidences=(0.95,), strategy=proves)
    based = optimand.plan(names, task, gaps=(0.1,), confidences=(0.95,), baseline="d")
    assert direct.rows[0].mean > 1.1 * plain.rows[0].mean
    assert based.rows[0].mean > plain.rows[0].mean


def test_the_plan_of_a_race_knows_indifference_and_baseline():
    names, task = list(MEANS), FunctionTask(coin)
    near = ScoreRace(0.05, indifference=0.3)
    plain = optimand.plan(names, task, gaps=(0.05,), confidences=(0.95,))
    loose = optimand.plan(names, task, gaps=(0.05,), confidences=(0.95,), strategy=near)
    based = optimand.plan(names, task, gaps=(0.2,), confidences=(0.95,), baseline="c")
    assert loose.rows[0].mean < 0.7 * plain.rows[0].mean
    assert math.isfinite(based.rows[0].mean)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((5, FunctionTask(coin)), "candidates are 5"),
        ((["a", "b"], 5), "task is 5"),
        ((["a", "a"], FunctionTask(coin)), "are the same"),
    ],
)
def test_wrong_subjects_are_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        optimand.plan(*arguments)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gaps": "0.1"}, "give a list"),
        ({"gaps": 0.1}, "give a list"),
        ({"gaps": ["x"]}, "one of the gaps is 'x'"),
        ({"confidences": 0.9}, "give a list"),
        ({"confidences": ["x"]}, "confidence is 'x'"),
        ({"runs": 20.5}, "whole number, 20 or more"),
        ({"usd": -1}, "usd is -1"),
        ({"seconds": "1"}, "seconds is '1'"),
        ({"pilot": 5}, "pilot is 5"),
        ({"baseline": "x"}, "baseline"),
        ({"strategy": {"type": "halving", "rollouts": 50}}, "cannot be simulated"),
        ({"strategy": 5}, "strategy is 5"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        optimand.plan(["a", "b"], FunctionTask(coin), **options)


def test_a_pilot_of_other_candidates_is_refused():
    pilot = optimand.pick(["a", "b"], FunctionTask(coin), budget=Budget(rollouts=40))
    with pytest.raises(InputError, match="others"):
        optimand.plan(["a", "c"], FunctionTask(coin), pilot=pilot)
