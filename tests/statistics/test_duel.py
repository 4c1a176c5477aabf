"""Duels: error rates and lengths by simulation with fixed seeds, and what a duel refuses."""

import math

import numpy as np
import pytest
from benchmarks.instances import INSTANCES

from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import CYCLE, NEAR, RUNNING, WINNER
from optimand.statistics.lower_bound import unstructured
from optimand.statistics.simulate import simulate_duels

QUICK = [
    "K2 at .60",
    "K5 BT .4",
    "K10 BT .3",
    "K10 hard gap",
    "K6 cyclic .60/.85",
    "K10 BT .3, 40% ties",
    "K10 graded scores",
    "K10 near tie .52",
    "K10 rivals tied at .60",
]


def play(name, runs, delta, horizon=3000, **options):
    pool = INSTANCES[name]
    rng = np.random.default_rng(7)
    return simulate_duels(
        pool.rates, rng, runs, DuelOptions(delta=delta, **options), pool.ties, pool.grader, horizon
    )


@pytest.mark.parametrize("delta", [0.05, 0.1])
@pytest.mark.parametrize("name", QUICK)
def test_error_rate_is_at_most_delta(name, delta):
    runs = 100
    got = play(name, runs, delta)
    wrong = int(((got.kind != RUNNING) & (got.answer != INSTANCES[name].best)).sum())
    assert wrong <= {0.05: 11, 0.1: 18}[delta]  # the 99 % points of Binomial(100, delta)


@pytest.mark.parametrize("name", ["K2 equal", "K8 equal"])
def test_equals_are_rarely_separated(name):
    got = play(name, 100, 0.1, horizon=600)
    assert int((got.kind != RUNNING).sum()) <= 18


@pytest.mark.parametrize("name", ["K5 BT .4", "K10 BT .3"])
def test_length_is_near_the_least_possible(name):
    got = play(name, 100, 0.05)
    least = unstructured(INSTANCES[name].rates).time * math.log(1 / 0.05)
    assert (got.kind == WINNER).all()
    assert got.tau.mean() < 2.0 * least


def test_a_cycle_is_seldom_taken_for_a_winner():
    got = play("K3 cycle .60", 60, 0.05, horizon=4000)
    assert int((got.kind == WINNER).sum()) <= 12
    assert int((got.kind == CYCLE).sum()) >= 30


@pytest.mark.parametrize("name", ["K3 cycle .60", "K5 cycle .70", "K8 top cycle .65"])
def test_a_stricter_check_takes_fewer_cycles_for_a_winner(name):
    strict = play(name, 100, 0.05, horizon=4000, check=1.0)
    assert int((strict.answer >= 0).sum()) <= 14  # the 99 % point of Binomial(100, 0.07)
    default = play(name, 100, 0.05, horizon=4000)
    assert int((default.answer >= 0).sum()) <= 28  # of Binomial(100, 0.18)


def test_without_the_assumption_a_cycle_has_no_answer():
    got = play("K3 cycle .60", 60, 0.1, horizon=1500, assume="nothing")
    assert int((got.answer >= 0).sum()) <= 12  # the 99 % point of Binomial(60, 0.1)


def test_indifference_ends_a_tie():
    got = play("K2 equal", 40, 0.1, horizon=5000, indifference=0.1)
    assert int((got.kind == NEAR).sum()) >= 30


def test_a_hundred_candidates_are_decided_quickly_enough():
    state, rng = DuelState(100), np.random.default_rng(1)
    for _ in range(400):
        a, b = state.choose(rng)
        state.update(a, b, [float(a[0] < b[0])])
    assert state.leader[0] <= 3


def test_games_in_flight_are_spread():
    state, rng = DuelState(8), np.random.default_rng(1)
    a, b = state.choose_many(rng, 16)
    assert (a != b).all()
    assert len({frozenset(pair) for pair in zip(a[0], b[0], strict=True)}) > 4
    state.update(a[:, 0], b[:, 0], [1.0])
    assert state.in_flight == 15


@pytest.mark.parametrize("y", [-0.1, 1.1, float("nan")])
def test_an_outcome_must_lie_in_the_unit_interval(y):
    state = DuelState(2)
    with pytest.raises(ValueError, match="outside"):
        state.update([0], [1], [y])


@pytest.mark.parametrize(
    "bad", [{"delta": 0.0}, {"indifference": 0.5}, {"assume": "x"}, {"space": "linear"}]
)
def test_bad_options(bad):
    with pytest.raises(ValueError, match=next(iter(bad)) if "space" not in bad else "features"):
        DuelOptions(**bad)
