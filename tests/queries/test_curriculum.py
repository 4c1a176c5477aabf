"""What an arm is worth, and what scores that cannot be read count as."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.queries.curriculum import merit


def test_the_merit_is_the_mean_with_the_side_effect_turned_round() -> None:
    said = {"severity": 1.0, "fixability": 0.5, "breadth": 0.2, "side_effect": 0.1}
    assert merit(said) == pytest.approx((1.0 + 0.5 + 0.2 + 0.9) / 4)


def test_what_is_missing_or_odd_counts_as_one_half() -> None:
    assert merit(None) == merit({}) == merit("high") == 0.5
    assert merit({"severity": True, "fixability": "high", "breadth": math.nan}) == 0.5
    assert merit({"severity": 7, "side_effect": -3}) == pytest.approx((1 + 0.5 + 0.5 + 1) / 4)


@given(st.dictionaries(st.sampled_from(["severity", "breadth", "x"]), st.floats() | st.text()))
def test_it_stays_between_zero_and_one(said: dict[str, object]) -> None:
    assert 0.0 <= merit(said) <= 1.0
