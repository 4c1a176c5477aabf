"""Which candidates deserve another look."""

from __future__ import annotations

import math

import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.core.record import Record
from optimand.memory.archive import Memory
from optimand.memory.priority import most_promising


def _memory(**runs: list[float]) -> Memory:
    made = {name: Candidate(Artifact({"x": name}), name) for name in runs}
    memory = Memory(next(iter(made.values())))
    for name, scores in runs.items():
        candidate = made[name]
        memory.pool[candidate.id] = candidate
        memory.observe(
            [Record(candidate.id, f"e{i}", score=s) for i, s in enumerate(scores)], "train"
        )
    return memory


def _names(memory: Memory, count: int, bonus: float = 0.0) -> list[str]:
    return [c.name for c in most_promising(memory, count, bonus)]


def test_by_mean_the_best_first() -> None:
    memory = _memory(low=[0, 0], high=[1, 1, 1, 0], middle=[1, 0], other=[1, 0])
    assert _names(memory, 3) == ["high", "other", "middle"]
    assert _names(memory, 9) == ["high", "other", "middle", "low"]


def test_what_never_ran_comes_before_all_but_the_best() -> None:
    memory = _memory(start=[1, 0], fresh=[], low=[0])
    assert _names(memory, 2) == ["start", "fresh"]


def test_before_anything_ran_there_is_the_start() -> None:
    assert _names(_memory(start=[]), 5) == ["start"]


@pytest.mark.parametrize(("bonus", "second"), [(0.0, "known"), (1.0, "rare")])
def test_with_a_bonus_what_is_known_least_comes_first(bonus: float, second: str) -> None:
    memory = _memory(best=[0.9] * 50, rare=[0.2, 0.3], known=[0.4] * 50)
    memory.steps = 20
    assert _names(memory, 2, bonus) == ["best", second]
    bound = 0.25 + math.sqrt(math.log(22) / 2)
    assert bound > 0.4 + math.sqrt(math.log(22) / 50)
