"""Races: error rates by simulation with fixed seeds, and the exact end of a finite population."""

import numpy as np
import pytest

from optimand.statistics.mean_interval import MeanInterval
from optimand.statistics.race import Race


def race(x, delta, population):
    state = Race(x.shape[1], delta, population)
    for row in x:
        if state.finished:
            break
        state.update(np.where(state.alive, row, np.nan))
    return state


def draw(rng, means, size, shared=0.0, graded=False):
    """Scores (size, K); with `shared` > 0 candidates tend to succeed on the same examples."""
    common, own = rng.random((size, 1)), rng.random((size, len(means)))
    noise = np.where(rng.random(own.shape) < shared, common, own)
    if graded:
        return np.clip(np.asarray(means) + 0.4 * (noise - 0.5), 0.0, 1.0)
    return (noise < means).astype(float)


@pytest.mark.parametrize("delta", [0.05, 0.1])
@pytest.mark.parametrize(
    ("means", "shared", "graded"),
    [
        ((0.55, 0.53, 0.5, 0.5), 0.0, False),
        ((0.6, 0.5, 0.5), 0.7, False),
        ((0.52, 0.5, 0.5), 0.0, True),
        ((0.97, 0.94, 0.5, 0.1), 0.3, False),
    ],
)
@pytest.mark.parametrize("population", [None, 120])
def test_error_rate_is_at_most_delta(means, shared, graded, population, delta):
    runs, wrong = 80, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x = draw(rng, means, population or 400, shared, graded)
        truth = x.mean(0) if population else np.asarray(means)
        state = race(x, delta, population)
        decided = state.alive.sum() == 1
        wrong += bool(decided and truth[state.leader] < truth.max() - 1e-12)
    limit = {0.05: 9, 0.1: 15}[delta]  # the 99 % points of Binomial(80, delta)
    assert wrong <= limit


def test_equal_candidates_are_rarely_separated():
    decided = 0
    for seed in range(100):
        x = draw(np.random.default_rng(seed), (0.5, 0.5), 300)
        decided += race(x, 0.1, None).alive.sum() == 1
    assert decided <= 17


def test_the_whole_population_decides_exactly():
    x = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    state = race(x, 0.05, 3)
    assert state.finished
    assert state.tied() == [0]
    assert race(x[:2], 0.05, 2).tied() == [0, 1]


def test_a_lead_that_cannot_be_made_up_ends_the_race():
    x = np.zeros((100, 2))
    x[:, 0] = 1.0
    assert race(x, 1e-30, 100).seen < 60


def test_a_missing_score_says_nothing():
    state = Race(2, 0.05, 10)
    state.update([1.0, np.nan])
    assert state.seen == 0
    assert state.population == 9


@pytest.mark.parametrize("population", [None, 300])
@pytest.mark.parametrize("size", [30, 150])
def test_intervals_cover(size, population):
    missed, width = 0, []
    for seed in range(200):
        x = (np.random.default_rng(seed).random(population or size) < 0.7).astype(float)
        truth = x.mean() if population else 0.7
        interval = MeanInterval(population, phase=seed)
        for score in x[:size]:
            interval.add(score)
        low, high = interval.ends(0.05)
        missed += not low <= truth <= high
        width.append(high - low)
    assert missed <= 18  # the 99 % point of Binomial(200, 0.05)
    assert np.mean(width) < (0.55 if size == 30 else 0.28)


@pytest.mark.parametrize("bad", [{"arms": 1}, {"arms": 2, "delta": 0.0}, {"arms": 2, "delta": 1.0}])
def test_bad_arguments(bad):
    with pytest.raises(ValueError, match=r"race|delta"):
        Race(**bad)


@pytest.mark.parametrize("population", [None, 500])
@pytest.mark.parametrize("means", [(0.7, 0.7, 0.5), (0.72, 0.7), (0.75, 0.65, 0.65)])
def test_within_indifference_the_answer_is_seldom_much_worse(means, population):
    runs, wrong, ended = 60, 0, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x = draw(rng, means, population or 2500)
        truth = x.mean(0) if population else np.asarray(means)
        state = Race(len(means), 0.1, population, 0.08)
        for row in x:
            if state.finished:
                break
            state.update(np.where(state.alive, row, np.nan))
        ended += state.finished
        wrong += truth.max() - truth[state.leader] >= 0.08
    assert ended >= 55
    assert wrong <= 12  # the 99 % point of Binomial(60, 0.1)


def test_more_than_the_indifference_is_not_waved_through():
    x = draw(np.random.default_rng(3), (0.5, 0.5), 4000)
    x[:, 1] = x[:, 0]
    assert race(x, 0.05, None).seen == 4000  # without an indifference equals are never told apart
    state = Race(2, 0.05, None, 0.05)
    for row in x:
        if state.finished:
            break
        state.update(row)
    assert state.indifferent
    assert state.seen < 300


@pytest.mark.parametrize(("low", "most"), [(0.1, 48), (0.5, 20)])
def test_evidence_does_not_creep_up_to_the_threshold(low: float, most: int) -> None:
    """Steady small differences: the last nats take no longer than those before."""
    race, examples = Race(2), 0
    while not race.finished:
        race.update([low + 0.1 if low == 0.1 else 0.9, low])
        examples += 1
    assert examples <= most
