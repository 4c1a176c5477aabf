"""Rewards by name and their upper bounds."""

from __future__ import annotations

import math

import pytest

from optimand.memory.rewards import Rewards


def test_the_bound_is_mean_and_width() -> None:
    rewards = Rewards()
    for reward in (0.1, 0.3):
        rewards.add("a", reward)
    rewards.add("b", 0.0)
    assert rewards.upper("a") == pytest.approx(0.2 + math.sqrt(2 * math.log(3) / 2))
    assert rewards.upper("b", 0.5) == pytest.approx(0.5 * math.sqrt(2 * math.log(3)))
    assert rewards.upper("b", 0.0) == 0.0


def test_the_unknown_comes_first_and_ties_keep_their_order() -> None:
    rewards = Rewards()
    rewards.add("a", 1.0)
    assert rewards.ranked(["a", "c", "b"]) == ["c", "b", "a"]
    assert rewards.mean("c") == 0.0
    assert rewards.count("c") == 0


def test_what_is_tried_in_vain_sinks() -> None:
    rewards = Rewards()
    for _ in range(20):
        rewards.add("good", 0.1)
        rewards.add("junk", -0.1)
    assert rewards.ranked(["junk", "good"]) == ["good", "junk"]
