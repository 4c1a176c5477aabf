"""LLM-PO: proportions tracked, and the likelihood ratio that stops it."""

import math

import numpy as np
import pytest
from benchmarks.instances import INSTANCES, bradley_terry
from scipy.optimize import minimize

from optimand.statistics.divergence import binary_kl
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.duel_stoppers import RUNNING, WINNER
from optimand.statistics.glr import Glr, glr_evidence, threshold
from optimand.statistics.lower_bound import structured, unstructured
from optimand.statistics.simulate import simulate_duels
from optimand.statistics.tracking import Tracking


def played(rates, games, options, reps=1, seed=0):
    state = DuelState(len(rates), reps, options)
    rng = np.random.default_rng(seed)
    for _ in range(games):
        a, b = state.choose(rng)
        state.update(a, b, (rng.random(reps) < rates[a, b]).astype(float))
    return state


def never(state):
    return np.full(len(state.rows), RUNNING), np.full(len(state.rows), -1)


@pytest.mark.parametrize("rule", ["C", "D"])
def test_the_optimal_proportions_are_approached(rule):
    rates = bradley_terry([2.0, 1.0, 0.5, 0.0])
    state = played(rates, 3000, DuelOptions(sampler=Tracking(rule), stopper=never))
    share = state.count[0] / 3000
    assert np.abs(share - unstructured(rates).weights).max() < 0.08


def test_the_convex_design_is_approached():
    theta = np.array([2.0, 1.0, 0.5, 0.0])
    options = DuelOptions(space="bradley-terry", sampler=Tracking(), stopper=never)
    state = played(bradley_terry(theta), 3000, options)
    best = structured(theta)
    info = np.minimum(state.count[0] / 3000, 1.0)
    worst = 1.0 / best.time
    # What the played proportions tell about the hardest rival is near what the best ones tell.
    evidence = np.delete(glr_evidence(played(bradley_terry(theta), 3000, options))[0], 0).min()
    assert info.sum() == pytest.approx(2.0)
    assert evidence / 3000 > 0.6 * worst


def test_the_ratio_in_the_general_space_is_the_closed_form():
    state = DuelState(3, 1)
    state.score[0] = [[0, 7, 6], [3, 0, 4], [4, 6, 0]]
    state.count[0] = 10.0 * (1 - np.eye(3))
    z = glr_evidence(state)[0]
    beaten = 10 * binary_kl(0.7, 0.5) + 10 * binary_kl(0.6, 0.5)
    assert z == pytest.approx([0.0, float(beaten), float(10 * binary_kl(0.6, 0.5))])


@pytest.mark.parametrize("features", [None, np.array([[1.0, 0], [0.4, 0.2], [0, 1], [0.1, 0.1]])])
def test_the_ratio_in_a_structured_space_is_a_difference_of_maxima(features):
    space = "bradley-terry" if features is None else "linear"
    rng = np.random.default_rng(1)
    state = DuelState(4, 1, DuelOptions(space=space, features=features))
    wins = rng.integers(5, 30, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0.0)
    state.score[0], state.count[0] = wins, wins + wins.T

    def loss(free, basis):
        theta = basis @ free
        gap = theta[:, None] - theta[None, :]
        return float((wins * np.logaddexp(0.0, -gap)).sum())

    basis = np.eye(4) if features is None else features
    ridge = 1e-9
    fit = minimize(lambda x: loss(x, basis) + ridge * (x @ x), np.zeros(basis.shape[1]), tol=1e-12)
    best = int((basis @ fit.x).argmax())
    z = glr_evidence(state)[0]
    for j in range(4):
        if j == best:
            assert z[j] == 0.0
            continue
        contrast = basis[best] - basis[j]
        tied = minimize(
            lambda x: loss(x, basis),
            np.zeros(basis.shape[1]),
            constraints={"type": "eq", "fun": lambda x, c=contrast: x @ c},
            tol=1e-12,
        )
        assert z[j] == pytest.approx(tied.fun - fit.fun, abs=0.05)


def test_thresholds_are_in_their_known_order():
    count = np.full((1, 8, 8), 200.0) * (1 - np.eye(8))
    heuristic = threshold("heuristic", count, 0.05, False)[0, 0]
    classical = threshold("classical", count, 0.05, False)[0, 0]
    proven = threshold("kaufmann-koolen", count, 0.05, False)[0, 0]
    assert heuristic == pytest.approx(math.log((1 + math.log(5600)) / 0.05))
    assert proven == pytest.approx(93.5, abs=0.5)
    assert heuristic < classical < proven
    assert threshold("kaufmann-koolen", count, 0.05, True)[0, 0] > proven


@pytest.mark.parametrize(
    ("options", "ratio"),
    [
        ({"sampler": Tracking("C"), "stopper": Glr("heuristic")}, 4.0),
        ({"sampler": Tracking("D"), "stopper": Glr("classical")}, 9.0),
        (
            {"space": "bradley-terry", "sampler": Tracking("C"), "stopper": Glr("heuristic")},
            3.0,
        ),
        ({"space": "bradley-terry"}, 2.0),
    ],
)
def test_every_variant_finds_the_best(options, ratio):
    pool = INSTANCES["K5 BT .4"]
    options = DuelOptions(delta=0.05, **options)
    got = simulate_duels(pool.rates, np.random.default_rng(5), 40, options, horizon=5000)
    assert (got.kind == WINNER).all()
    assert int((got.answer != pool.best).sum()) <= 6  # the 99 % point of Binomial(40, 0.05)
    least = unstructured(pool.rates).time * math.log(20)
    assert got.tau.mean() < ratio * least


def test_the_proven_threshold_never_errs_between_equals():
    options = DuelOptions(delta=0.1, sampler=Tracking("C"), stopper=Glr("kaufmann-koolen"))
    got = simulate_duels(np.full((3, 3), 0.5), np.random.default_rng(0), 60, options, horizon=500)
    assert int((got.kind != RUNNING).sum()) == 0
