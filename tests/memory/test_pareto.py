"""The Pareto front, hypervolume and Chebyshev distances against hand cases and brute force."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Evidence, Propose, Step, Trial
from optimand.core.record import Record
from optimand.memory.archive import Memory
from optimand.memory.pareto import (
    Point,
    chebyshev,
    contribution,
    draw_weights,
    hypervolume,
    normalised,
    objective_names,
    objective_vector,
    pareto_front,
    weakly_dominates,
)

GRID = 5


@pytest.mark.parametrize(
    ("points", "reference", "volume"),
    [
        ([], (0.0, 0.0), 0.0),
        ([(1.0, 1.0)], (0.0, 0.0), 1.0),
        ([(2.0, 1.0), (1.0, 2.0)], (0.0, 0.0), 3.0),
        ([(3.0, 1.0), (2.0, 2.0), (1.0, 3.0)], (0.0, 0.0), 6.0),
        ([(3.0, 1.0), (2.0, 2.0), (1.0, 3.0), (1.0, 1.0), (2.0, 2.0)], (0.0, 0.0), 6.0),
        ([(3.0, -1.0), (2.0, 2.0)], (1.0, 1.0), 1.0),
        ([(0.0, 5.0)], (0.0, 0.0), 0.0),
        ([(4.0,), (2.0,)], (1.0,), 3.0),
        ([(1.0, 1.0, 1.0)], (0.0, 0.0, 0.0), 1.0),
        ([(2.0, 1.0, 1.0), (1.0, 2.0, 1.0), (1.0, 1.0, 2.0)], (0.0, 0.0, 0.0), 4.0),
        ([(3.0, 2.0, 1.0), (1.0, 2.0, 3.0)], (0.0, 0.0, 0.0), 10.0),
    ],
)
def test_hypervolume_of_hand_cases(points: list[Point], reference: Point, volume: float) -> None:
    assert hypervolume(points, reference) == pytest.approx(volume)


def points(size: int) -> st.SearchStrategy[list[Point]]:
    one = st.tuples(*[st.integers(0, GRID).map(float)] * size)
    return st.lists(one, max_size=7)


def _cells(found: list[Point], size: int) -> int:
    """Unit cells below some point, counted one by one."""
    cells = itertools.product(range(GRID), repeat=size)
    return sum(
        any(all(x >= c + 1 for x, c in zip(p, cell, strict=True)) for p in found) for cell in cells
    )


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_hypervolume_is_the_number_of_cells_below(size: int) -> None:
    @settings(max_examples=60, deadline=None)
    @given(points(size))
    def check(found: list[Point]) -> None:
        assert hypervolume(found, (0.0,) * size) == _cells(found, size)

    check()


@settings(max_examples=200, deadline=None)
@given(points(3), st.tuples(*[st.floats(0.0, 1.0)] * 3))
def test_a_point_contributes_unless_another_is_as_good(found: list[Point], point: Point) -> None:
    added = contribution(point, found, (-1.0, -1.0, -1.0))
    assert (added == 0.0) == any(weakly_dominates(other, point) for other in found)
    assert added >= 0.0


def test_the_sign_survives_rounding() -> None:
    barely = (0.0, 0.0, 2.3e-309)
    assert contribution(barely, [(0.0, 0.0, 0.0)], (-1.0, -1.0, -1.0)) > 0.0
    assert contribution((0.5, -1.0), [], (-1.0, -1.0)) == 0.0


@settings(max_examples=100, deadline=None)
@given(points(3), st.tuples(*[st.integers(1, GRID).map(float)] * 3))
def test_a_contribution_is_the_number_of_new_cells(found: list[Point], point: Point) -> None:
    new = _cells([*found, point], 3) - _cells(found, 3)
    assert contribution(point, found, (0.0, 0.0, 0.0)) == new


def test_what_is_dominated_adds_nothing_however_it_rounds() -> None:
    rng = random.Random(1)
    for _ in range(300):
        front = [tuple(rng.random() for _ in range(3)) for _ in range(6)]
        below = tuple(x * rng.choice([0.3, 1.0]) for x in rng.choice(front))
        assert contribution(below, front, (-0.001,) * 3) == 0.0


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=6),
    st.floats(0.5, 4.0),
    st.floats(-3.0, 3.0),
)
def test_scaling_does_not_see_units(found: list[Point], factor: float, shift: float) -> None:
    scaled = normalised(found)
    assert all(0.0 <= x <= 1.0 for point in scaled for x in point)
    moved = normalised([(factor * a + shift, b) for a, b in found])
    spread = max(a for a, _ in found) - min(a for a, _ in found)
    if spread > 1e-3:  # below, the shift rounds the differences away
        assert all(abs(x[0] - y[0]) < 1e-3 for x, y in zip(scaled, moved, strict=True))


def test_an_objective_that_is_equal_or_missing() -> None:
    assert normalised([(2.0, 5.0), (3.0, 5.0)]) == [(0.0, 1.0), (1.0, 1.0)]
    assert normalised([(2.0, -math.inf), (3.0, 4.0)]) == [(0.0, 0.0), (1.0, 1.0)]
    assert normalised([(-math.inf,), (-math.inf,)]) == [(0.0,), (0.0,)]


def test_chebyshev_finds_the_middle_that_no_weighted_sum_finds() -> None:
    ends_and_middle = [(1.0, 0.0), (0.4, 0.4), (0.0, 1.0)]
    by_sum, by_distance = set(), set()
    for k in range(101):
        weights = (k / 100, 1 - k / 100)
        by_sum.add(max(range(3), key=lambda i: _weighted(ends_and_middle[i], weights)))
        by_distance.add(min(range(3), key=lambda i: chebyshev(ends_and_middle[i], weights)))
    assert by_sum == {0, 2}
    assert by_distance == {0, 1, 2}


@settings(max_examples=100, deadline=None)
@given(points(3), st.tuples(*[st.floats(0.05, 1.0)] * 3))
def test_the_nearest_is_never_strictly_dominated(found: list[Point], weights: Point) -> None:
    if found:
        scaled = normalised(found)
        nearest = min(scaled, key=lambda p: chebyshev(p, weights))
        assert not any(all(a > b for a, b in zip(p, nearest, strict=True)) for p in scaled)


def test_weights_are_uniform_on_the_simplex() -> None:
    rng = random.Random(0)
    drawn = [draw_weights(rng, 3) for _ in range(4000)]
    assert all(sum(weights) == pytest.approx(1.0) for weights in drawn)
    # On the uniform simplex of three, P(w > 1/2) = 1/4 for each.
    assert sum(weights[0] > 0.5 for weights in drawn) / 4000 == pytest.approx(0.25, abs=0.03)


def _weighted(point: Point, weights: tuple[float, float]) -> float:
    return sum(w * x for w, x in zip(weights, point, strict=True))


def _record(score: float | None, status: str = "ok", **objectives: float) -> Record:
    kind: Any = status
    return Record("c", "e", score=score, objectives=objectives, status=kind)


def test_vectors_are_means_of_what_is_known() -> None:
    records = [
        _record(1.0, short=0.5, cheap=2.0),
        _record(0.0, short=0.7, cheap=math.nan),
        _record(0.0, status="crash"),
        _record(None, status="unknown", short=9.0),
    ]
    names = objective_names(records)
    assert names == ("score", "cheap", "short")
    assert objective_vector(records, names) == pytest.approx((1 / 3, 2.0, 0.6))
    assert objective_vector([], names) == (-math.inf,) * 3
    named = Record("c", "e", score=1.0, objectives={"score": 0.5})
    assert objective_names([named]) == ("score",)


@settings(max_examples=60, deadline=None)
@given(points(2))
def test_the_front_is_what_nothing_dominates(found: list[Point]) -> None:
    made = [Candidate(Artifact({"x": i}), str(i)) for i in range(len(found) + 1)]
    everywhere = [(0.0, 0.0), *found]
    memory = Memory(made[0])
    for candidate, (score, short) in zip(made, everywhere, strict=True):
        record = Record(candidate.id, "e", score=score, objectives={"short": short})
        trial = Trial(candidate, records={"val": (record,)})
        action = Propose(None, (), None)  # type: ignore[arg-type]
        memory.retain(Step(action, Evidence(), (trial,)))
    front = {c.name for c in pareto_front(memory, ("score", "short"))}
    assert front == {
        str(i)
        for i, p in enumerate(everywhere)
        if not any(weakly_dominates(q, p) and q != p for q in everywhere)
    }
