"""Races by score in the benchmark: every method works, budgets are kept, invalid ones are named."""

import numpy as np
import pytest
from benchmarks.pick.races.__main__ import measure
from benchmarks.pick.races.adaptive import _bounds
from benchmarks.pick.races.halving import hyperband, successive_halving
from benchmarks.pick.races.looks import looks
from benchmarks.pick.races.methods import METHODS
from benchmarks.pick.races.worlds import WORLDS, World

from optimand.statistics.divergence import binary_kl

WHOLE = World("clear", "binary", (0.9, 0.4, 0.3), 120, True)
FRESH = World("clear, fresh", "graded", (0.9, 0.5, 0.4), 400, False)


@pytest.mark.parametrize("world", [WHOLE, FRESH], ids=lambda w: w.name)
@pytest.mark.parametrize("way", METHODS, ids=lambda w: w.name)
def test_every_method_finds_an_obvious_best(way, world):
    tables = world.draw(5, 0)
    outcome = way.method(tables, 0.05, 200)
    assert not tables.wrong(outcome.answer).any()
    assert (outcome.rollouts <= world.examples * 3).all()


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w.name)
def test_scores_have_the_stated_means(world):
    tables = world.draw(4, 0)
    assert ((tables.scores >= 0) & (tables.scores <= 1)).all()
    assert np.allclose(tables.scores.mean((0, 1)), world.means, atol=0.05)
    assert np.array_equal(tables.scores, world.draw(4, 0).scores)


@pytest.mark.parametrize("method", [successive_halving, hyperband])
def test_budgets_are_kept(method):
    outcome = method(FRESH.draw(3, 0), 0.05, 90)
    assert (outcome.rollouts <= 90).all()


def test_looks_end_with_all_examples():
    assert looks(50) == [10, 15, 22, 33, 50]


def test_confidence_bounds_lie_at_the_stated_divergence():
    means = np.array([[0.2, 0.5, 0.9]])
    low, high = _bounds(means, np.full((1, 3), 0.05))
    assert np.allclose(binary_kl(means, low), 0.05, atol=1e-3)
    assert np.allclose(binary_kl(means, high), 0.05, atol=1e-3)


def test_the_table_says_what_is_invalid():
    table = measure(WHOLE, list(METHODS[:3]), 5, 0)
    assert "| INVALID |" in table
    assert "optimand | valid" in table
