"""What is still needed ends with the examples; the least is one run of each, and one comparison."""

import itertools
import math

import numpy as np
import pytest

import optimand
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_forecast import least_comparisons, remaining_comparisons


def verdict_of(task, candidates, budget):
    return optimand.pick(candidates, task, budget=budget).verdict


def near(value, example, seed):
    return 0.5 + (0.01 if (value == "a") == bool(example.input % 2) else 0.0)


def test_a_race_cannot_need_more_than_the_examples_left():
    task = optimand.FunctionTask(near, list(range(60)))
    stopped = verdict_of(task, ["a", "b"], optimand.Budget(rollouts=40))
    assert stopped.remaining == pytest.approx(2 * (60 - 20))
    ended = verdict_of(task, ["a", "b"], None)
    assert ended.reason == "exhausted"
    assert ended.remaining is None or ended.remaining > 80  # what more examples would take


def test_the_sentence_of_an_exhausted_run_says_what_to_do():
    task = optimand.FunctionTask(near, list(range(10)))
    text = str(optimand.pick(["a", "b"], task))
    assert text.startswith("Undecided: exhausted (add examples, or allow an indifference).")


def test_a_duel_cannot_need_more_than_the_examples_left():
    state = DuelState(3, 1, DuelOptions())
    for a, b in itertools.combinations(range(3), 2):
        for y in (1.0, 0.0, 1.0):
            state.update([a], [b], [y])
    needed = remaining_comparisons(state)
    assert needed is None or needed > 5
    assert remaining_comparisons(state, 5.0) == 5.0
    assert remaining_comparisons(state, 0.0) == needed
    assert remaining_comparisons(state, math.inf) == needed


def test_the_least_is_one_run_of_each():
    result = optimand.pick(
        [0.0, 1.0, 0.1], optimand.FunctionTask(lambda value, example, seed: value)
    )
    assert result.verdict.least >= 3
    state = DuelState(4, 1, DuelOptions(delta=0.4))
    for _ in range(40):
        for a, b in itertools.combinations(range(4), 2):
            state.update([a], [b], [1.0])
    assert least_comparisons(state) >= 3
    assert np.isfinite(least_comparisons(state))
