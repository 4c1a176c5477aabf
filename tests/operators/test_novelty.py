"""The distance of texts and the epsilon-net."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimand.artifacts.space import Number
from optimand.artifacts.surface import Surface
from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Context, Evidence, Trial
from optimand.memory.archive import Memory
from optimand.operators.novelty import bag_distance, epsilon_net

words = st.lists(st.sampled_from("abcdef"), max_size=8).map(Counter)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("a b", "b a", 0.0),
        ("a", "b", math.sqrt(2)),
        ("", "", 0.0),
        ("a", "", math.sqrt(2)),
        ("a a", "a b", math.sqrt(2 - math.sqrt(2))),
        ("a b c", "a b c d", math.sqrt(2 - math.sqrt(3))),
    ],
)
def test_distances_of_hand_cases(one: str, other: str, distance: float) -> None:
    assert bag_distance(Counter(one.split()), Counter(other.split())) == pytest.approx(distance)


@settings(max_examples=200, deadline=None)
@given(words, words, words)
def test_it_is_a_metric_on_directions(a: Counter[str], b: Counter[str], c: Counter[str]) -> None:
    assert bag_distance(a, a) == 0.0
    assert bag_distance(a, b) == pytest.approx(bag_distance(b, a))
    if a and b and c:
        assert bag_distance(a, c) <= bag_distance(a, b) + bag_distance(b, c) + 1e-7
        doubled = Counter({word: 2 * n for word, n in a.items()})
        assert bag_distance(a, doubled) < 1e-7


def _candidate(text: str, heat: float = 0.0) -> Candidate:
    return Candidate(Artifact({"value": text, "heat": heat}), text[:20] or "empty")


def _filtered(
    kept: list[Candidate], proposed: list[Candidate | None], epsilon: float
) -> tuple[list[Candidate], list[Trial]]:
    memory = Memory(kept[0])
    memory.pool.update({c.id: c for c in kept})
    surface = Surface(("value",), {"heat": Number(0.0, 1.0)})

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        return [Trial(c) if c else Trial(None, False, "unreadable") for c in proposed]

    context: Any = SimpleNamespace(memory=memory, surface=surface)
    trials = asyncio.run(epsilon_net(operator, epsilon)(context, Evidence()))  # type: ignore[arg-type]
    return [t.candidate for t in trials if t.accepted and t.candidate], trials


def test_what_differs_in_order_case_or_marks_alone_is_dropped() -> None:
    start = _candidate("Answer in one word.")
    twins: list[Candidate | None] = [
        _candidate("answer in ONE word!"),
        _candidate("one: word answer in"),
    ]
    admitted, trials = _filtered([start], [*twins, None, _candidate("think step by step")], 0.1)
    assert [c.name for c in admitted] == ["think step by step"]
    assert [t.why for t in trials] == ["too near to what is kept"] * 2 + ["unreadable", ""]


def test_of_near_twins_proposed_together_one_is_admitted() -> None:
    admitted, _ = _filtered([_candidate("a")], [_candidate("b c"), _candidate("c b")], 0.1)
    assert [c.name for c in admitted] == ["b c"]


def test_the_farthest_comes_first() -> None:
    """In the order given, `between` would be admitted and bar the farther one."""
    start, near, far = _candidate("a b c"), _candidate("a b d"), _candidate("d e")
    admitted, _ = _filtered([start], [near, far], 0.7)
    assert [c.name for c in admitted] == ["a b d", "d e"]
    between = _candidate("a d d e")
    admitted, _ = _filtered([start], [between, far], 0.7)
    assert [c.name for c in admitted] == ["d e"]


def test_another_setting_is_never_near() -> None:
    admitted, _ = _filtered([_candidate("a")], [_candidate("a", 0.5), _candidate("a", 0.5)], 0.1)
    assert len(admitted) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 1.2))
def test_all_that_is_kept_is_a_packing_and_covers_the_rest(seed: int, epsilon: float) -> None:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices("abcde", k=rng.randrange(1, 6))) for _ in range(12)]
    start, proposed = _candidate("a"), [_candidate(text) for text in texts]
    admitted, _ = _filtered([start], list(proposed), epsilon)
    bags = [Counter(c.artifact.parts["value"].split()) for c in [start, *admitted]]
    for i, one in enumerate(bags):
        assert all(bag_distance(one, other) > epsilon for other in bags[:i])
    for text in texts:
        assert min(bag_distance(Counter(text.split()), bag) for bag in bags) <= epsilon
