"""The picking benchmark: common random numbers, peers that work, honest figures."""

import csv

import numpy as np
import pytest
from benchmarks.instances import bradley_terry, cyclic
from benchmarks.pick import __main__ as command
from benchmarks.pick import results
from benchmarks.pick.judging import coin, graded, information, slot_biased, with_ties
from benchmarks.pick.peers.rmed import Rmed
from benchmarks.pick.peers.rucb import rucb, upper_bounds
from benchmarks.pick.plan import PLANS, cells
from benchmarks.pick.play import play, uniforms
from benchmarks.pick.pools import Pool, all_pools
from benchmarks.pick.real import real_pools
from benchmarks.pick.strategies import DEFAULT, STRATEGIES, for_pool
from benchmarks.pick.summary import clopper_pearson, paired_ratio, summarise
from benchmarks.pick.timing import decision_times
from hypothesis import given
from hypothesis import strategies as st

from optimand.statistics.divergence import kl_half
from optimand.statistics.duel import DuelOptions, DuelState

EASY = Pool("easy", "Bradley-Terry", coin(bradley_terry([3.0, 1.0, 0.5, 0.0])))


@given(st.floats(0.05, 0.95), st.floats(0.0, 0.9))
def test_information_of_wins_and_ties_is_exact(rate, share):
    rates = np.array([[0.5, rate], [1 - rate, 0.5]])
    exact = np.where(rates > 0.5, kl_half(rates), 0.0)
    assert np.allclose(information(coin(rates)), exact, atol=1e-9)
    assert np.allclose(information(with_ties(rates, share)), (1 - share) * exact, atol=1e-9)


@pytest.mark.parametrize(
    "judge",
    [
        coin([[0.5, 0.7], [0.3, 0.5]]),
        with_ties([[0.5, 0.7], [0.3, 0.5]], 0.3),
        graded([0.0, -0.2], 0.2),
        slot_biased([0.4, 0.0], 1.0, both=True),
    ],
)
def test_scores_have_the_stated_mean_and_swap_with_the_pair(judge):
    zero, one = np.zeros(20_000, int), np.ones(20_000, int)
    draw = np.random.default_rng(0).random(20_000)
    score = judge.score(zero, one, draw)
    assert np.allclose(score + judge.score(one, zero, draw), 1.0)
    assert abs(score.mean() - judge.rates[0, 1]) < 0.01


def test_random_numbers_depend_on_replication_pair_and_game_only():
    rep, low, high, game = np.random.default_rng(0).integers(0, 50, (4, 5_000))
    draw = uniforms(7, rep, low, high, game)
    assert np.array_equal(draw[100:200], uniforms(7, *(x[100:200] for x in (rep, low, high, game))))
    assert abs(draw.mean() - 0.5) < 0.02
    assert abs(draw.var() - 1 / 12) < 0.005
    assert not np.array_equal(draw, uniforms(8, rep, low, high, game))


def test_a_pool_can_be_played_again_to_the_digit():
    maker = STRATEGIES[0].maker
    one, two = (play(EASY, maker, 8, 0.05, 3, 400) for _ in range(2))
    assert np.array_equal(one.tau, two.tau)
    assert np.array_equal(one.answer, two.answer)


@pytest.mark.parametrize("strategy", for_pool(EASY), ids=lambda s: s.name)
def test_every_strategy_finds_an_obvious_best(strategy):
    runs = play(EASY, strategy.maker, 6, 0.05, 0, 1_500)
    assert (runs.answer[~runs.cut] == 0).sum() >= (~runs.cut).sum() - 1
    assert (~runs.cut).any() or strategy.name == "random pairs"


@pytest.mark.parametrize("name", ["optimand, linear", "LLM-PO, linear, our stop"])
def test_features_are_given_to_strategies_that_use_them(name):
    pool = all_pools()["K16 linear, 4 features"]
    (strategy,) = for_pool(pool, (name,))
    runs = play(pool, strategy.maker, 3, 0.1, 0, 300)
    assert (runs.answer[~runs.cut] == pool.best).all()
    assert pool.structured_time < pool.time


def state_of(sampler, size=4):
    return DuelState(size, 3, DuelOptions(check=None, sampler=sampler))


def test_rucb_is_optimistic_about_what_it_has_not_seen():
    state, rng = state_of(rucb), np.random.default_rng(0)
    state.update([0, 0, 0], [1, 1, 1], [1.0, 1.0, 1.0])
    upper = upper_bounds(state)
    assert (upper[:, 2, 3] == 1.0).all()
    assert (upper[:, 0, 0] == 0.5).all()
    a, b = rucb(state, rng)
    assert (a != b).all()


@pytest.mark.parametrize("version", [1, 2])
def test_rmed_meets_every_pair_first(version):
    sampler = Rmed(version)
    state, rng = state_of(sampler), np.random.default_rng(0)
    for _ in range(6):
        a, b = state.choose(rng)
        state.update(a, b, np.full(3, 0.5))
    assert (state.count[:, ~np.eye(4, dtype=bool)] == 1).all()


@pytest.mark.parametrize("name", [s.name for s in STRATEGIES if s.kind == "helped"])
def test_helped_samplers_leave_out_whom_evidence_disproved(name):
    (strategy,) = for_pool(EASY, (name,))
    state, rng = strategy.maker(EASY, 3, 0.05), np.random.default_rng(0)
    for _ in range(10):
        a, b = state.choose(rng)
        state.update(a, b, np.where(a < b, 0.8, 0.2))
    state.evidence.peak[:, 3] = 99.0
    for _ in range(12):
        a, b = state.options.sampler(state, rng)
        unplayed = state.count[state.rows, a, b] < 6  # RMED2 explores all pairs
        assert ((a != 3) & (b != 3) | unplayed).all()


def test_intervals_and_ratios():
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 0.3085), abs=1e-4)
    assert clopper_pearson(5, 100) == pytest.approx((0.0164, 0.1128), abs=1e-4)
    tau = np.random.default_rng(0).exponential(100.0, 50)
    assert paired_ratio(tau, 2 * tau) == pytest.approx((0.5, 0.5, 0.5))
    ratio, low, high = paired_ratio(tau, np.random.default_rng(1).exponential(100.0, 40))
    assert low < ratio < high


def test_a_pool_of_equals_has_no_least_and_one_right_answer():
    pool = all_pools()["K2 equal"]
    assert np.isinf(pool.time)
    found = cells(PLANS["full"], {pool.name: pool}, 0)
    assert [cell.purpose for cell in found] == ["errors"]
    runs = play(pool, found[0].strategy.maker, 4, 0.1, 0, 50)
    assert np.isnan(summarise(found[0], runs).of_least)


def test_the_star_costs_more_where_others_beat_the_losers_harder():
    pool = Pool("cyclic", "cyclic", coin(cyclic(6, 0.6, 0.85)))
    assert pool.time == pytest.approx(5 / kl_half(0.85), rel=1e-6)


def test_the_command_writes_tables_results_and_a_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("OPTIMAND_JUDGEMENTS", raising=False)
    monkeypatch.setattr(results, "find_spec", lambda name: None)
    plan = PLANS["small"].__class__(4, ("K5 BT .4",), (DEFAULT, "RUCB"), 4.0, 600, 5, 0)
    monkeypatch.setitem(command.PLANS, "small", plan)
    monkeypatch.setattr(command, "decision_times", lambda: decision_times((DEFAULT,), (3,)))
    command.main(["small", "--jobs", "1", "--out", str(tmp_path)])
    said = capsys.readouterr().out
    assert "no real judgements" in said
    assert "at most the best published valid peer" in said
    assert "| milliseconds per comparison | K = 3 |" in said
    assert (tmp_path / "pick.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "RUCB" in (tmp_path / "pick.md").read_text(encoding="utf-8")
    with (tmp_path / "runs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16 + 4 + 5
    assert {row["strategy"] for row in rows} == {DEFAULT, "RUCB"}


def test_real_judgements_become_pools(tmp_path):
    rng, lines = np.random.default_rng(0), ["id,prompt,model_x,model_y,worker,winner,left,right"]
    for n in range(600):
        x, y = rng.choice(14, 2, replace=False)
        for _ in range(3):
            winner = rng.choice(["left", "tie", "right"], p=[0.5, 0.3, 0.2] if x < y else None)
            lines.append(f"{n},{n % 9},{x},{y},0,{winner},m{x:02},m{y:02}")
    path = tmp_path / "judgements.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    pools = real_pools(path)
    assert len(pools) == 4
    for pool in pools:
        assert pool.size == 12
        assert np.allclose(pool.judge.chance.sum(-1), 1.0)
        assert np.allclose(pool.judge.rates + pool.judge.rates.T, 1.0)
    assert np.allclose(pools[0].judge.rates, pools[1].judge.rates)
