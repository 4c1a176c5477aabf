"""Merging diagnoses into notes: what a model says of them, and what happens when it says junk."""

from __future__ import annotations

import asyncio
import random
from types import SimpleNamespace
from typing import Any

import pytest

from optimand.artifacts.surface import Surface
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Example
from optimand.core.model import Reply, Request
from optimand.core.proposal import Context, Evidence, Propose
from optimand.core.record import Record
from optimand.evaluation.cascade import cascade
from optimand.memory.notes import Notes
from optimand.operators.diagnose import Diagnosis, diagnosed
from optimand.operators.momentum import by_label, momentum, told
from optimand.operators.patch import patch

START = Candidate(Artifact({"a": "text a", "b": "text b"}), "start")
NOW = Candidate(Artifact({"a": "text a2", "b": "text b"}), "now", (START.id,))
FOUND = [
    Diagnosis("e1", "no units", "says no units", "a"),
    Diagnosis("e2", "units missing", "says no units", "b"),
    Diagnosis("e3", "bad date", "no format", ""),
]


def context(*replies: Any) -> tuple[Context, list[Request]]:
    """A step whose models answer these, in order; the last one again and again."""
    asked: list[Request] = []

    async def answer(role: str, request: Request) -> Reply:
        asked.append(request)
        reply = replies[min(len(asked), len(replies)) - 1]
        return Reply(reply) if isinstance(reply, str) else Reply("", reply)

    run: Any = SimpleNamespace(seed=0, ask=answer)
    action = Propose(patch(Notes(), by_label), (NOW,), cascade())
    return Context(run, None, Surface(("a", "b")), action, 0, random.Random(0)), asked


def evidence(*scores: float, before: float = 0.0) -> Evidence:
    examples = tuple(Example(f"e{i}", i) for i in range(len(scores)))
    records = [Record(NOW.id, e.id, score=s) for e, s in zip(examples, scores, strict=True)]
    records += [Record(START.id, e.id, score=before) for e in examples]
    return Evidence((NOW, START), "train", examples, tuple(records))


def test_the_model_merges_labels_that_mean_the_same() -> None:
    one = {"name": "no units", "labels": ["no units", "units missing"], "gap": "units", "part": "b"}
    answer = {"patterns": [{**one, "change": "ask for units"}], "themes": ["check", " ", "x", "y"]}
    notes = Notes()
    said = asyncio.run(momentum()(context(answer)[0], FOUND, notes))
    assert said == "- check\n- x"
    first, second = notes.ranked()
    assert (first.name, first.seen, first.part) == ("no units", ("e1", "e2"), "b")
    assert first.remedies == ("ask for units",)
    assert (second.name, second.seen, second.text) == ("bad date", ("e3",), "no format")
    assert "seen on 2 tasks" in told(notes)


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        {},
        {"patterns": "x", "themes": 3},
        {"patterns": [1, {"name": 3}, {"name": "other", "labels": ["unknown"]}]},
    ],
)
def test_an_odd_answer_leaves_the_labels(answer: Any) -> None:
    notes = Notes()
    assert asyncio.run(momentum()(context(answer)[0], FOUND, notes)) == ""
    assert [e.name for e in notes] == ["no units", "units missing", "bad date"]
    assert all(len(e.seen) == 1 for e in notes)


def test_what_is_right_at_last_becomes_a_remedy_of_a_known_pattern() -> None:
    notes = Notes()
    asyncio.run(by_label(context("")[0], FOUND, notes))
    right = [Diagnosis("e1", label, "said it", "a", True) for label in ("no units", "new")]
    asyncio.run(momentum()(context("")[0], right, notes))
    known = notes.get("no units")
    assert known is not None
    assert known.remedies == ("this helped: said it",)
    assert known.seen == ("e1",)
    assert notes.get("new") is None


def test_failures_and_what_turned_right_are_diagnosed() -> None:
    answer = {"label": " no  units ", "diagnosis": "why", "part": "b"}
    step, asked = context(answer)
    found = asyncio.run(diagnosed(step, evidence(0.0, 1.0), ["known one"]))
    assert [(d.example, d.label, d.part, d.passed) for d in found] == [
        ("e0", "no units", "b", False),
        ("e1", "no units", "b", True),
    ]
    assert all("- known one" in r.messages[0].content for r in asked)
    assert all("what it did with the first text" in r.messages[0].content for r in asked)
    assert "text a2" in asked[0].messages[0].content


def test_what_was_right_before_or_cannot_be_read_is_left_out() -> None:
    step, asked = context("junk", {"label": "", "diagnosis": "x", "part": "a"}, {"label": 3})
    assert asyncio.run(diagnosed(step, evidence(0.0, 0.0, 0.0, 1.0, before=1.0))) == []
    assert len(asked) == 3


def test_an_unknown_part_is_no_part() -> None:
    step, _ = context({"label": "x", "diagnosis": "y", "part": "../secret"})
    (found,) = asyncio.run(diagnosed(step, evidence(0.0)))
    assert found.part == ""


def test_only_named_parts_are_shown_and_patched() -> None:
    said = {"label": "x", "diagnosis": "y", "part": "b"}
    step, asked = context(said, '<part name="b">\nbetter\n</part>', "junk")
    (trial,) = asyncio.run(patch(Notes(), momentum())(step, evidence(0.0)))
    assert trial.candidate is not None
    assert dict(trial.candidate.artifact.parts) == {"a": "text a2", "b": "better"}
    assert trial.meta["parts"] == ("b",)
    assert '<part name="a">' not in asked[1].messages[0].content


def test_without_a_failure_nothing_is_written() -> None:
    step, asked = context("junk")
    assert asyncio.run(patch(Notes(), by_label)(step, evidence(1.0, before=1.0))) == []
    assert not asked
