"""The benchmark of lucky best scores: its worlds, its rates, and our part of its table."""

from __future__ import annotations

import math
from itertools import islice

import pytest
from benchmarks.luck.ours import READINGS, ours
from benchmarks.luck.peers import PEERS, ask, versions
from benchmarks.luck.table import HEAD, rate, row
from benchmarks.luck.worlds import START, WORLDS, Outcome, World, metric
from scipy.stats import binomtest

NULL, DRIFT, FIND = WORLDS


def test_all_methods_meet_the_same_proposals() -> None:
    stream = list(islice(DRIFT.proposals(3), 19))
    assert DRIFT.pool(3, 20) == [START, *stream]
    assert DRIFT.pool(3, 20) != DRIFT.pool(4, 20)
    assert FIND.pool(3, 20)[10] == 0.75
    assert set(NULL.pool(3, 20)) == {START}


def test_metric_has_the_accuracy_it_is_given() -> None:
    score = metric(1)
    share = sum(score(0.6) for _ in range(10_000)) / 10_000
    assert abs(share - 0.6) < 4 * math.sqrt(0.24 / 10_000)


@pytest.mark.parametrize(("hits", "runs"), [(0, 40), (3, 40), (40, 40), (217, 400)])
def test_rate_is_wilson(hits: int, runs: int) -> None:
    interval = binomtest(hits, runs).proportion_ci(0.95, method="wilson")
    assert rate(hits, runs) == f"{hits / runs:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def test_row_counts_what_its_head_says() -> None:
    better = Outcome(0.9, 0.65, True, 100, 0.6, 0.8)
    worse = Outcome(0.8, 0.55, True, 100, 0.6, 0.9)
    kept = Outcome(0.7, START, False, 100, 0.5, 0.7)
    cells = dict(zip(HEAD, row("m", [better, worse, kept, kept]), strict=True))
    assert cells["reported best"] == "0.775"
    assert cells["true accuracy of it"] == "0.600"
    assert cells["start replaced"].startswith("50.0%")
    assert cells["truly worse than the start"].startswith("25.0%")
    assert cells["interval holds the truth"].startswith("75.0%")


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w.name)
def test_ours_keeps_the_start_unless_there_is_proof(world: World) -> None:
    runs = [ours(world, seed, 400, 0.1, arms=8) for seed in range(12)]
    for reading in ("decided", "interval"):
        assert sum(r[reading].worse for r in runs) <= 4  # more has probability < 0.005
        assert sum(r[reading].covered for r in runs) >= 8
    assert {frozenset(r) for r in runs} == {frozenset(READINGS)}
    assert all(r["leader"].calls == 400 for r in runs)


def test_ours_finds_what_is_clearly_better() -> None:
    found = ours(World("clear", 0.9, 0.0), 0, 2_000, 0.05, arms=2)
    assert found["decided"].replaced
    assert found["decided"].true == 0.9
    assert found["decided"].covered


@pytest.mark.parametrize("name", PEERS)
def test_peer_reports_more_than_is_true(name: str) -> None:
    if PEERS[name].package not in versions():
        pytest.skip(f"{PEERS[name].package} is not installed")
    runs = ask(name, NULL, range(4), 10, 100)
    assert {r.true for r in runs} == {START}
    assert sum(r.reported for r in runs) / 4 > START
