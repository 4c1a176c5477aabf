"""The best of a step's proposals are kept."""

from __future__ import annotations

import asyncio
from typing import Any

from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Evidence, Trial
from optimand.core.record import Record
from optimand.evaluation.leaders import in_turn, leaders

NOTHING: Any = None


def trial(name: str, score: float) -> Trial:
    candidate = Candidate(Artifact({"value": name}), name)
    return Trial(candidate, records={"batch": (Record(candidate.id, "e", score=score),)})


def test_the_best_go_on_and_the_earlier_wins_a_tie() -> None:
    trials = [trial("a", 0.2), Trial(None, False, "junk"), trial("b", 0.8), trial("c", 0.2)]
    found = asyncio.run(leaders(2)(NOTHING, Evidence(), trials))
    assert [t.accepted for t in found] == [True, False, True, False]
    assert found[1].why == "junk"
    assert found[3].why == "not among the best 2 of its step"


def test_evaluations_follow_one_another() -> None:
    trials = [trial("a", 0.2), trial("b", 0.8), trial("c", 0.5)]
    found = asyncio.run(in_turn(leaders(2), leaders(1))(NOTHING, Evidence(), trials))
    assert [t.accepted for t in found] == [False, True, False]
