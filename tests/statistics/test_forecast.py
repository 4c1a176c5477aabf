"""What duels and races are estimated to need."""

import math

import numpy as np
import pytest
from benchmarks.instances import bradley_terry

from optimand.statistics.divergence import certainty_cost, kl_half
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_forecast import (
    equal_comparisons,
    least_comparisons,
    remaining_comparisons,
    win_rates,
)
from optimand.statistics.lower_bound import star, structured, unstructured
from optimand.statistics.race import Race

RATES = bradley_terry([1.5, 0.8, 0.3, 0.0])


def known(games=100_000.0, **options):
    """A state that has seen so much that its estimates are the truth."""
    state = DuelState(4, 1, DuelOptions(**options))
    state.count[0] = games * (1 - np.eye(4))
    state.score[0] = RATES * state.count[0]
    ones = np.zeros(1, int)
    for _ in range(400):
        state.model.seen += 1
        for a, b in ((0, 1), (2, 3)):
            state.model.refit(state.score, state.count, ones + a, ones + b)
    return state


def test_win_rates_are_found():
    assert np.abs(win_rates(known()) - RATES).max() < 0.01


def test_the_least_is_the_lower_bound_of_the_space():
    cost = certainty_cost(0.05)
    assert least_comparisons(known()) == pytest.approx(unstructured(RATES).time * cost, rel=0.03)
    strict = least_comparisons(known(assume="nothing"))
    assert strict == pytest.approx(star(RATES).time * cost, rel=0.03)
    tied = least_comparisons(known(space="bradley-terry"))
    assert tied == pytest.approx(structured(np.array([1.5, 0.8, 0.3, 0])).time * cost, rel=0.03)


def test_testing_all_pairs_alike_waits_for_the_hardest_rival():
    slowest = kl_half(np.array([RATES[0, 1]]))[0]
    expected = 6 * math.log(20) / slowest
    assert equal_comparisons(known()) == pytest.approx(expected, rel=0.03)


def test_what_remains_shrinks_with_the_evidence():
    state = known()
    before = remaining_comparisons(state)
    state.evidence.log_e[0] += 1.5
    state.evidence.peak[0] += 1.5
    assert remaining_comparisons(state) == pytest.approx(
        before * (math.log(20) - 1.5) / math.log(20)
    )
    state.kind[:] = 1
    assert remaining_comparisons(state) == 0.0


def test_nobody_best_means_no_bound():
    state = DuelState(3, 1)
    assert least_comparisons(state) is None
    assert equal_comparisons(state) is None


@pytest.mark.parametrize(("population", "expected"), [(None, 1.0), (400, None)])
def test_a_race_knows_its_effort(population, expected):
    rng = np.random.default_rng(0)
    race = Race(2, 1e-12, population)
    for _ in range(300):
        race.update((rng.random(2) < (0.7, 0.5)).astype(float))
    mean, variance = 0.2, 0.7 * 0.3 + 0.25
    fresh = 3.0 * 2 * variance / mean**2
    need = race.effort(np.array([3.0, 3.0]))[1]
    if population is None:
        assert need == pytest.approx(expected * fresh, rel=0.5)
    else:
        assert need < population
        assert need == pytest.approx(fresh / (1 + fresh / population), rel=0.5)
