"""Several objectives at once: vectors of candidates, the Pareto front, hypervolume.

Every objective is better when higher.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence

from optimand.core.artifact import Candidate
from optimand.core.record import Record
from optimand.memory.archive import Memory

__all__ = [
    "Point",
    "chebyshev",
    "contribution",
    "draw_weights",
    "hypervolume",
    "nearest_to_ideal",
    "normalised",
    "objective_names",
    "objective_vector",
    "pareto_front",
    "weakly_dominates",
]

SCORE = "score"
Point = tuple[float, ...]
"""One number for each objective."""


def objective_names(records: Iterable[Record]) -> tuple[str, ...]:
    """The score, and every objective that some record carries, in alphabetical order."""
    names = {name for record in records for name in record.objectives}
    return (SCORE, *sorted(names - {SCORE}))


def objective_vector(records: Sequence[Record], names: Sequence[str]) -> Point:
    """The mean of each objective over the records that carry it; -inf where none does."""
    return tuple(_mean([_value(record, name) for record in records]) for name in names)


def normalised(points: Sequence[Point]) -> list[Point]:
    """Each objective scaled to [0, 1] over the points: 1 where all are equal, 0 where missing."""
    columns = [_scaled(column) for column in zip(*points, strict=True)]
    return list(zip(*columns, strict=True))


def weakly_dominates(one: Point, other: Point) -> bool:
    """Whether `one` is at least as good in every objective."""
    return all(a >= b for a, b in zip(one, other, strict=True))


def pareto_front(memory: Memory, names: Sequence[str], split: str = "val") -> list[Candidate]:
    """The accepted candidates that no other dominates, oldest first; of equals all."""
    pool = list(memory.pool.values())
    points = [objective_vector(memory.records(c, split), names) for c in pool]
    return [
        candidate
        for candidate, mine in zip(pool, points, strict=True)
        if not any(weakly_dominates(other, mine) and other != mine for other in points)
    ]


def hypervolume(points: Sequence[Point], reference: Point) -> float:
    """The volume that the points dominate above `reference`; exact, for any number of objectives.

    Sliced along the last objective: n log n steps for two objectives, n^2 log n for three, and a
    factor of n for each more (Zitzler 1999).
    """
    inside = [p for p in points if all(x > r for x, r in zip(p, reference, strict=True))]
    if len(reference) == 1:
        return max((p[0] - reference[0] for p in inside), default=0.0)
    inside.sort(key=lambda p: p[-1], reverse=True)
    if len(reference) == 2:
        return _area(inside, reference)
    floors = [*(p[-1] for p in inside[1:]), reference[-1]]
    return sum(
        (point[-1] - floor) * hypervolume([q[:-1] for q in inside[:count]], reference[:-1])
        for count, (point, floor) in enumerate(zip(inside, floors, strict=False), 1)
        if point[-1] > floor
    )


def contribution(point: Point, others: Sequence[Point], reference: Point) -> float:
    """What `point` adds to the hypervolume of the others, in floating point.

    Exactly 0 where another is as good or the point is not above the reference, else positive: a
    gain that rounds away is the smallest positive number, so that the sign can be relied on.
    """
    inside = all(x > r for x, r in zip(point, reference, strict=True))
    if not inside or any(weakly_dominates(other, point) for other in others):
        return 0.0
    added = hypervolume([*others, point], reference) - hypervolume(others, reference)
    return max(added, math.ulp(0.0))


def chebyshev(point: Point, weights: Sequence[float]) -> float:
    """max_i w_i (1 - f_i), the weighted distance from the ideal point 1; lower is better.

    Every point of the front is the lowest for some weights, which a weighted sum cannot do where
    the front is not convex.
    """
    return max(w * (1.0 - x) for w, x in zip(weights, point, strict=True))


def draw_weights(rng: random.Random, count: int) -> list[float]:
    """Weights that sum to 1, uniform on the simplex: Dirichlet with all parameters 1."""
    drawn = [rng.expovariate(1.0) for _ in range(count)]
    return [x / sum(drawn) for x in drawn]


def nearest_to_ideal(
    memory: Memory, names: Sequence[str], weights: Sequence[float], split: str = "val"
) -> Candidate:
    """The accepted candidate of least weighted distance, scaled over all; the older wins a tie."""
    pool = list(memory.pool.values())
    points = normalised([objective_vector(memory.records(c, split), names) for c in pool])
    return pool[min(range(len(pool)), key=lambda i: chebyshev(points[i], weights))]


def _area(points: Sequence[Point], reference: Point) -> float:
    area, reached = 0.0, reference[0]
    for x, y in points:
        if x > reached:
            area, reached = area + (x - reached) * (y - reference[1]), x
    return area


def _value(record: Record, name: str) -> float | None:
    if record.status == "unknown":
        return None
    value = record.score if name == SCORE else record.objectives.get(name)
    return value if value is not None and math.isfinite(value) else None


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else -math.inf


def _scaled(column: Sequence[float]) -> list[float]:
    known = [v for v in column if math.isfinite(v)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    width = high - low
    return [0.0 if not math.isfinite(v) else (v - low) / width if width else 1.0 for v in column]
