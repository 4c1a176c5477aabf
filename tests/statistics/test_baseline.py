"""A baseline is left only for what is proven better: error rates at every moment, by simulation."""

import numpy as np
import pytest

from optimand.statistics.divergence import sigmoid
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_duels

RUNS = 100
LIMIT = {0.05: 11, 0.1: 18}  # the 99 % points of Binomial(100, delta)


def ever_worse(race, draw, truth, base, steps):
    """Whether each race (R,) at any moment names one that is truly worse than the baseline."""
    reps = len(race.total)
    who, wrong, decided = np.arange(reps), np.zeros(reps, bool), np.zeros(reps, bool)
    for n in range(steps):
        race.update(np.where(race.running, draw(n, who), np.nan))
        wrong[who] |= truth[who, race.named] < truth[who, base] - 1e-12
        over = race.finished
        decided[who[over]] = True
        race.select(~over)
        who = who[~over]
        if not len(who):
            break
    return wrong, decided


@pytest.mark.parametrize("delta", [0.05, 0.1])
@pytest.mark.parametrize("population", [None, 150])
@pytest.mark.parametrize("indifference", [0.0, 0.1])
@pytest.mark.parametrize(
    ("means", "base"),
    [((0.55, 0.5, 0.5, 0.45), 0), ((0.5, 0.48, 0.47, 0.46, 0.6), 0), ((0.6, 0.6, 0.6), 1)],
)
def test_a_race_seldom_names_one_worse_than_the_baseline(
    means, base, indifference, population, delta
):
    rng, arms = np.random.default_rng(11), len(means)
    table = (rng.random((RUNS, population or 400, arms)) < means).astype(float)
    truth = table.mean(1) if population else np.tile(means, (RUNS, 1))
    race = Race(arms, delta, population, indifference, (RUNS,), base)
    steps = table.shape[1]
    wrong, _ = ever_worse(race, lambda n, who: table[who, n], truth, base, steps)
    assert wrong.sum() <= LIMIT[delta]


def test_a_race_proves_what_is_better_before_it_knows_the_best():
    means = (0.75, 0.74, 0.4, 0.45)
    x = np.random.default_rng(5).random((300, 4)) < means
    race = Race(4, 0.05, baseline=3)
    for row in x.astype(float):
        race.update(np.where(race.running, row, np.nan))
    assert not race.finished
    assert race.named in (0, 1)
    assert race.proven[[0, 1]].any()


def test_the_baseline_runs_until_another_is_proven():
    race = Race(3, 0.05, baseline=2)
    race.alive[2] = False
    assert list(race.running) == [True, True, True]
    assert race.named == 2
    race.proven[1] = True
    assert list(race.running) == [True, True, False]
    assert race.named == 1
    race.alive[1] = False  # the last one left needs no proof
    assert race.named == 0


def test_on_a_whole_population_a_higher_total_is_proof():
    race = Race(3, 0.05, 4, baseline=0)
    for row in ((0, 1, 1), (0, 1, 1), (1, 1, 1), (1, 0, 0)):
        race.update(row)
    assert race.tied() == [1, 2]
    assert race.named in (1, 2)


def test_a_baseline_within_the_indifference_is_kept():
    rng = np.random.default_rng(2)
    race = Race(3, 0.1, None, 0.1, baseline=1)
    while not race.finished:
        race.update((rng.random(3) < 0.9).astype(float))
    assert race.indifferent
    assert race.named == 1


@pytest.mark.parametrize("delta", [0.05, 0.1])
@pytest.mark.parametrize(
    ("theta", "base"), [((0.0, -0.1, -0.1, -0.2), 0), ((0.3, 0.0, 0.0, -0.1), 1), ((0.0,) * 4, 2)]
)
def test_a_duel_seldom_names_one_worse_than_the_baseline(theta, base, delta):
    theta = np.array(theta)
    rates, rng = sigmoid(theta[:, None] - theta), np.random.default_rng(4)
    state = DuelState(len(theta), RUNS, DuelOptions(delta=delta, baseline=base))
    who, wrong = np.arange(RUNS), np.zeros(RUNS, bool)
    for _ in range(400):
        a, b = state.choose(rng)
        state.update(a, b, (rng.random(len(who)) < rates[a, b]).astype(float))
        named = np.where(state.answer >= 0, state.answer, state.named)
        wrong[who] |= theta[named] < theta[base]
        done = state.done
        state.select(~done)
        who = who[~done]
        if not len(who):
            break
    assert wrong.sum() <= LIMIT[delta]


def test_a_duel_proves_what_is_better_before_it_knows_the_best():
    theta = np.array([1.0, 0.97, 0.0, -0.2])
    rates = sigmoid(theta[:, None] - theta)
    for base, least in ((2, 0.9), (None, 0.0)):
        options = DuelOptions(delta=0.05, baseline=base)
        made = simulate_duels(rates, np.random.default_rng(1), 60, options, horizon=250)
        assert (made.kind == 0).mean() > 0.8
        assert (theta[made.named] > theta[2]).mean() >= least


def test_claims_beside_the_main_one_share_a_fifth_of_the_level():
    plain, kept = Race(5, 0.05), Race(5, 0.05, baseline=0)
    both = Race(5, 0.05, None, 0.1, baseline=0)
    assert plain.threshold == pytest.approx(np.log(1 / 0.05))
    assert kept.threshold == both.threshold == pytest.approx(np.log(1 / 0.04))
    assert kept.need_better == pytest.approx(np.log(4 / 0.01))
    assert both.need_better == both.need_near == pytest.approx(np.log(4 / 0.005))
    duel = DuelState(5, 1, DuelOptions(baseline=1)).evidence
    assert (duel.need_elimination, duel.need_better) == (kept.threshold, kept.need_better)
