"""The best of a step's proposals are kept."""

from __future__ import annotations

from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Trial
from optimand.core.record import Record
from optimand.evaluation.cascade import leaders


def trial(name: str, score: float) -> Trial:
    candidate = Candidate(Artifact({"value": name}), name)
    return Trial(candidate, records={"batch": (Record(candidate.id, "e", score=score),)})


def test_the_best_go_on_and_the_earlier_wins_a_tie() -> None:
    trials = [trial("a", 0.2), Trial(None, False, "junk"), trial("b", 0.8), trial("c", 0.2)]
    found = leaders(trials, "batch", 2)
    assert [t.accepted for t in found] == [True, False, True, False]
    assert found[1].why == "junk"
    assert found[3].why == "not among the best 2 of its step on the batch"


def test_stages_follow_one_another() -> None:
    trials = [trial("a", 0.2), trial("b", 0.8), trial("c", 0.5)]
    found = leaders(leaders(trials, "batch", 2), "batch", 1)
    assert [t.accepted for t in found] == [False, True, False]
