"""Improve the loser: who lost does not depend on the order, and no label is seen unless asked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import OptimandError
from optimand.core.example import Example
from optimand.core.model import Reply, Request
from optimand.core.proposal import Context, Evidence, Trial
from optimand.core.record import Record
from optimand.operators.preference import LOST, loser_improved
from optimand.queries.pairs import side_by_side

GOOD, BAD = (Candidate(Artifact({"value": name}), name) for name in ("good", "bad"))
EXAMPLES = tuple(Example(f"e{i}", f"question {i}", f"SECRET {i}") for i in range(3))


@dataclass
class _Judge:
    """Prefers the side with more right answers; keeps what it was asked."""

    reply: str = ""
    seed: int = 0
    asked: list[str] = field(default_factory=list)

    async def ask(self, role: str, request: Request) -> Reply:
        assert role == "judge"
        said = request.messages[-1].content
        self.asked.append(said)
        if self.reply:
            return Reply(self.reply, status="invalid")
        better = 1 if said.count("output 1: right") > said.count("output 2: right") else 2
        found = {"feedback": f"{3 - better} is often wrong", "preferred": better}
        return Reply(json.dumps(found), parsed=found)


def _evidence(*parents: Candidate, output: str | None = "", split: str = "train") -> Evidence:
    records = tuple(
        Record(
            parent.id,
            example.id,
            score=float(parent is GOOD),
            output=("right" if parent is GOOD else "wrong") if output == "" else output,
            feedback=f"expected {example.target}",
        )
        for example in EXAMPLES
        for parent in parents
    )
    return Evidence(parents, split, EXAMPLES, records)


def _context(judge: _Judge) -> Context:
    made: Any = SimpleNamespace(run=judge, number=0)
    context: Context = made
    return context


async def _keep(context: Context, evidence: Evidence) -> list[Trial]:
    return [Trial(evidence.parents[0], meta={"evidence": evidence})]


def _improved(judge: _Judge, evidence: Evidence, **options: Any) -> Trial:
    operator = loser_improved(_keep, "is right", **options)
    (trial,) = asyncio.run(operator(_context(judge), evidence))
    return trial


@pytest.mark.parametrize("pair", [(GOOD, BAD), (BAD, GOOD)])
def test_swapping_the_pair_keeps_the_loser(pair: tuple[Candidate, Candidate]) -> None:
    trial = _improved(_Judge(), _evidence(*pair))
    assert trial.candidate == BAD
    assert trial.meta[LOST] == BAD.id
    shown = trial.meta["evidence"]
    side = pair.index(BAD) + 1
    assert shown.parents == (BAD,)
    assert shown.blocks["verdict"].startswith(f"Yours are the outputs {side};")
    assert shown.blocks["criticism"] == f"{side} is often wrong"


def test_labels_and_feedback_are_hidden_unless_asked_for() -> None:
    judge = _Judge()
    trial = _improved(judge, _evidence(GOOD, BAD))
    seen = judge.asked[0] + json.dumps(dict(trial.meta["evidence"].blocks))
    assert "question 2" in seen
    assert "SECRET" not in seen
    assert "score" not in seen
    _improved(judge, _evidence(GOOD, BAD), labels=True)
    assert "expected: SECRET 2" in judge.asked[1]


def test_a_verdict_that_cannot_be_read_is_a_reason() -> None:
    trial = _improved(_Judge("I like both"), _evidence(GOOD, BAD))
    assert trial.candidate is None
    assert "could not be read" in trial.why


def test_without_outputs_nobody_is_asked() -> None:
    judge = _Judge()
    trial = _improved(judge, _evidence(GOOD, BAD, output=None))
    assert trial.why == "no outputs to compare"
    assert not judge.asked


def test_what_a_service_failed_on_is_left_out() -> None:
    evidence = _evidence(GOOD, BAD)
    lost = Record(GOOD.id, "e1", output="half", status="unknown")
    records = tuple(
        lost if r.example == "e1" and r.candidate == GOOD.id else r for r in evidence.records
    )
    text = side_by_side(Evidence(evidence.parents, "train", EXAMPLES, records))
    assert "question 0" in text
    assert "question 1" not in text


def test_only_training_outputs_are_compared() -> None:
    with pytest.raises(OptimandError, match="must not see"):
        side_by_side(_evidence(GOOD, BAD, split="val"))
