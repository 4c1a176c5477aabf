"""The benchmarks of control, in small."""

from __future__ import annotations

import numpy as np
from benchmarks.control.families import FAMILIES, tabulate
from benchmarks.control.races import Played, compared, searched


def test_racing_saves_steps_and_keeps_the_quality() -> None:
    table = tabulate(FAMILIES[1], 40, episodes=25)
    steps, worth = compared(table, 15, seed=2)
    assert 1 - steps[:, 0].sum() / steps[:, 1].sum() > 0.4
    assert np.mean(worth[:, 1] - worth[:, 0]) < 0.03


def test_without_a_race_every_policy_runs_every_episode() -> None:
    table = tabulate(FAMILIES[0], 10, episodes=8)
    found = searched(table, list(range(10)), race=False, episodes=5)
    assert found.steps == table.steps[:, :5].sum()
    assert found.row == int(np.argmax(table.scores[:, :5].mean(axis=1)))
    assert Played(table, 5).splits.keys() == {"train"}


def test_families_hold_useless_and_good_policies() -> None:
    for family in FAMILIES[:2]:
        worth = tabulate(family, 40, episodes=5).scores.mean(axis=1)
        assert worth.min() < 0.15
        assert worth.max() > 0.7
