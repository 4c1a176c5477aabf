"""Halving: who goes on after each stage."""

from __future__ import annotations

import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Trial
from optimand.core.record import Record
from optimand.evaluation.halving import _better_half, _counts, _measured


def trial(number: int, *scores: float | None) -> Trial:
    one = Candidate(Artifact({"value": str(number)}), f"c{number}")
    rows = tuple(Record(one.id, str(i), score=s) for i, s in enumerate(scores))
    return Trial(one, records={"train": rows})


@pytest.mark.parametrize(
    ("most", "race", "counts"),
    [
        (5, True, [1, 2, 4, 5]),
        (8, True, [1, 2, 4, 8]),
        (1, True, [1]),
        (2, True, [1, 2]),
        (5, False, [1, 5]),
        (1, False, [1]),
    ],
)
def test_stages_double(most: int, race: bool, counts: list[int]) -> None:
    assert _counts(most, race) == counts


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.1, 0.2, 0.3, 0.4], [2, 3]),
        ([0.1, 0.2, 0.3], [1, 2]),
        ([0.3, 0.3, 0.3, 0.1], [0, 1, 2]),
        ([0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3]),
        ([0.4], [0]),
        ([None, 0.1, 0.2, 0.3], [0, 2, 3]),
        ([None, None], [0, 1]),
    ],
)
def test_the_better_half_goes_on_with_ties_and_failed_services(
    scores: list[float | None], kept: list[int]
) -> None:
    after = _better_half([trial(i, s) for i, s in enumerate(scores)], 1)
    assert [i for i, t in enumerate(after) if t.accepted] == kept
    assert all("better half after 1" in t.why for t in after if not t.accepted)


def test_equal_candidates_count_once() -> None:
    trials = [trial(0, 0.9), trial(0, 0.9), trial(1, 0.5), trial(2, 0.1), trial(3, 0.2)]
    assert [t.accepted for t in _better_half(trials, 1)] == [True, True, True, False, False]


def test_what_never_ran_is_no_winner() -> None:
    assert [t.accepted for t in _measured([trial(0, None), trial(1, None, 0.1)])] == [False, True]
