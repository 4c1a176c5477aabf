"""The floored softmax."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.statistics.softmax import floored_softmax


def test_the_formula() -> None:
    scores = [0.5, 0.8, 0.2]
    weights = [math.exp(s / 0.15) for s in scores]
    wanted = [0.02 + (1 - 3 * 0.02) * w / sum(weights) for w in weights]
    assert floored_softmax(scores, 0.15, 0.02) == pytest.approx(wanted)


def test_it_is_uniform_where_the_floor_leaves_nothing() -> None:
    assert floored_softmax([0.1] + [0.9] * 49, 0.15, 0.02) == [0.02] * 50
    assert floored_softmax([0.1, 0.9, 0.4], 0.15, 0.5) == pytest.approx([1 / 3] * 3)
    assert floored_softmax([], 0.15, 0.02) == []


def test_without_a_temperature_the_highest_takes_the_rest() -> None:
    assert floored_softmax([0.1, 0.9, 0.9], 0.0, 0.1) == pytest.approx([0.1, 0.45, 0.45])


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.floats(1e-3, 10),
    st.floats(0, 0.1),
)
def test_they_are_probabilities_above_the_floor(
    scores: list[float], temperature: float, floor: float
) -> None:
    found = floored_softmax(scores, temperature, floor)
    assert sum(found) == pytest.approx(1.0)
    assert all(p >= min(floor, 1 / len(scores)) - 1e-12 for p in found)
    best = max(range(len(scores)), key=lambda i: scores[i])
    assert found[best] == pytest.approx(max(found))
