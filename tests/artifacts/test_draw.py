"""Draws of settings lie in their space and reach all of it."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from optimand.artifacts.space import Choice, Number


@given(st.integers(-50, 50), st.floats(0.01, 1e6), st.booleans(), st.integers())
def test_a_drawn_number_is_allowed(low: int, width: float, whole: bool, seed: int) -> None:
    setting = Number(low, low + width, whole)
    value = setting.draw(random.Random(seed))
    assert setting.cast(value) == (value, "")
    assert isinstance(value, int) == whole


def test_whole_numbers_and_options_are_equally_likely() -> None:
    rng = random.Random(0)
    for setting, values in [
        (Number(0.5, 3.5, whole=True), [1, 2, 3]),
        (Choice((1, 2, 3)), [1, 2, 3]),
    ]:
        drawn = [setting.draw(rng) for _ in range(3000)]
        counts = [drawn.count(value) for value in values]
        assert sum(counts) == 3000
        assert max(abs(count - 1000) for count in counts) < 130  # five standard deviations
