"""The benchmarks of improve, in small."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.improve.__main__ import ours
from benchmarks.improve.opticom import quality, ranks
from benchmarks.improve.worlds import WORLDS


def test_our_gepa_reaches_the_optimum_of_the_told_task() -> None:
    found = ours(False, 0, 1500)
    assert 0 < found.reached < 800
    assert found.truth == 1.0
    assert found.calls <= 1500


def test_the_noisy_task_ends_within_its_budget_and_claims_what_is_true() -> None:
    found = ours(True, 0, 600, "polca")
    assert found.calls <= 600
    assert found.claimed == pytest.approx(found.truth, abs=0.1)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_start_is_not_perfect_and_the_full_text_is(world: object) -> None:
    parts = world.artifact()  # type: ignore[attr-defined]
    words = " ".join([*(f"t{i}" for i in range(world.words)), world.needs])  # type: ignore[attr-defined]
    assert world.quality(parts) < 1.0  # type: ignore[attr-defined]
    assert world.quality(dict.fromkeys(parts, words)) == 1.0  # type: ignore[attr-defined]


def test_a_world_is_searched() -> None:
    assert quality(WORLDS[0], {}, 0, 500) > 0.3


def test_ties_share_their_rank() -> None:
    assert ranks(np.array([[0.5, 0.9, 0.9, 0.1]])).tolist() == [[3.0, 1.5, 1.5, 4.0]]
