"""Candidates that differ in price: what is saved, that nothing is lost, and the least cost."""

import numpy as np
import pytest
from benchmarks.instances import INSTANCES
from benchmarks.pick.costs import WORLDS, play
from hypothesis import given
from hypothesis import strategies as st

from optimand.statistics.costs import MeasuredCosts, scaled_costs
from optimand.statistics.divergence import kl_half
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.lower_bound import unstructured
from optimand.statistics.simulate import simulate_duels

NAMED = {world.name: world for world in WORLDS}


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("K6 cyclic .60/.85, the best costs 20", 0.80),
        ("K10 BT .3, the best costs 20", 0.95),
        ("K10 two ahead, the best costs 20", 0.96),
    ],
)
@pytest.mark.parametrize("rule", ["told", "measured"])
def test_a_dear_best_candidate_is_played_less(name, factor, rule):
    plain, aware = (play(NAMED[name], how, 100) for how in ("equal", rule))
    assert aware.cost.mean() < factor * plain.cost.mean()
    assert aware.wrong <= 11  # the 99 % point of Binomial(100, 0.05)


@pytest.mark.parametrize("name", ["K5 BT .4, 1 to 30", "K6 cyclic .60/.85, 1 to 30"])
def test_error_rate_is_at_most_delta_whatever_the_prices(name):
    assert play(NAMED[name], "measured", 200, delta=0.1).wrong <= 31  # 99.9 % of Binomial(200, 0.1)


def test_noise_in_equal_costs_does_no_harm():
    plain, noisy = (play(NAMED["K10 BT .3, all alike"], how, 100) for how in ("equal", "measured"))
    assert noisy.tau.mean() < 1.1 * plain.tau.mean()


@pytest.mark.parametrize("name", ["K5 BT .4", "K6 cyclic .60/.85"])
def test_equal_costs_change_nothing(name):
    rates = INSTANCES[name].rates
    plain, same = (
        simulate_duels(rates, np.random.default_rng(3), 30, DuelOptions(costs=costs))
        for costs in (None, np.full(len(rates), 0.3))
    )
    assert (plain.tau == same.tau).all()
    assert (plain.answer == same.answer).all()


@given(
    st.lists(st.floats(0.05, 3.0), min_size=2, max_size=7),
    st.lists(st.floats(0.1, 50.0), min_size=7, max_size=7),
)
def test_the_least_cost_is_that_of_the_cheapest_beaters(gaps, prices):
    theta = -np.cumsum(gaps)
    costs = np.array(prices[: len(theta)])
    rates = 1.0 / (1.0 + np.exp(theta - theta[:, None]))
    bound = unstructured(rates, costs)
    by_hand = sum(
        min((costs[b] + costs[j]) / kl_half(rates[b, j]) for b in range(j))
        for j in range(1, len(theta))
    )
    assert bound.time == pytest.approx(by_hand)
    plain = unstructured(rates)
    pairs = costs[:, None] + costs
    assert bound.time <= plain.time * 0.5 * (plain.weights * pairs).sum() * (1 + 1e-9)
    assert unstructured(rates, np.full(len(theta), 0.5)).time == pytest.approx(plain.time)


def test_measured_costs_are_shrunk_and_start_equal():
    found = MeasuredCosts(3)
    assert (found.mean == 1.0).all()
    for _ in range(200):
        found.add(np.array([0]), np.array([10.0]))
        found.add(np.array([1]), np.array([1.0]))
    dear, cheap, unseen = found.mean[0]
    assert dear == pytest.approx(10.0, rel=0.02)
    assert cheap == pytest.approx(1.0, rel=0.06)
    assert unseen == pytest.approx(5.5)
    found.add(np.array([2]), np.array([0.0]))
    assert found.mean[0, 2] > 0


def test_replications_keep_their_own_costs():
    state = DuelState(3, 2)
    state.spend_by([[1.0, 2.0, 3.0], [5.0, 5.0, 2.0]])
    state.select(np.array([False, True]))
    assert state.costs.tolist() == [[1.25, 1.25, 0.5]]


@pytest.mark.parametrize("costs", [[1.0, 0.0], [1.0, -2.0], [1.0, np.nan], [1.0, np.inf], 3.0])
def test_a_cost_must_be_a_positive_number(costs):
    with pytest.raises(ValueError, match="costs are"):
        scaled_costs(costs)
    with pytest.raises(ValueError, match="costs are"):
        DuelOptions(costs=costs)


def test_every_candidate_needs_a_cost():
    with pytest.raises(ValueError, match="2 numbers for 3 candidates"):
        DuelState(3, 1, DuelOptions(costs=np.array([1.0, 2.0])))
