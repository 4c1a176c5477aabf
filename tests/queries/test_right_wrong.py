"""The picker of examples that are right and examples that are wrong."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from optimand.core.action import Outcome, Rollout
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Endless, Example
from optimand.core.record import Record
from optimand.queries import right_wrong
from optimand.queries.right_wrong import right_and_wrong

PARENT = Candidate(Artifact({"value": "x"}), "x")
EXAMPLES = [Example(f"e{i}", i) for i in range(40)]


def _pick(
    monkeypatch: pytest.MonkeyPatch,
    judge: Any,
    examples: Sequence[Example] = EXAMPLES,
    number: int = 0,
    **options: int,
) -> tuple[list[Example], int]:
    """What is picked of 6, and how many examples were run."""
    run: list[str] = []

    async def perform(_: Any, action: Rollout) -> Outcome:
        run.extend(example.id for example in action.examples)
        records = []
        for example in action.examples:
            found = judge(example)
            score, status = found if isinstance(found, tuple) else (found, "ok")
            records.append(Record(PARENT.id, example.id, score=score, status=status))
        return Outcome(action, tuple(records))

    monkeypatch.setattr(right_wrong, "perform", perform)
    action = SimpleNamespace(parents=(PARENT,))
    context: Any = SimpleNamespace(run=None, action=action, rng=random.Random(1), number=number)
    picked = asyncio.run(right_and_wrong(**options)(context, examples, 6))  # type: ignore[arg-type]
    assert len(set(run)) == len(run)
    return list(picked), len(run)


def test_half_are_right_and_half_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    picked, run = _pick(monkeypatch, lambda e: float(e.input % 2))
    assert [e.input % 2 for e in picked] == [1, 1, 1, 0, 0, 0]
    assert len({e.id for e in picked}) == 6
    assert run in (8, 16)


def test_it_runs_batches_until_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rare, few = _pick(monkeypatch, lambda e: float(e.input not in (3, 17, 29)))
    assert {e.input for e in rare[3:]} == {3, 17, 29}
    assert few % 8 == 0
    assert _pick(monkeypatch, lambda e: float(e.input % 2), batch=2)[1] <= 16


def test_fewer_of_a_kind_where_the_data_end(monkeypatch: pytest.MonkeyPatch) -> None:
    picked, run = _pick(monkeypatch, lambda e: float(e.input != 5))
    assert run == len(EXAMPLES)
    assert [e.input for e in picked[3:]] == [5]
    assert _pick(monkeypatch, lambda e: 0.0, most=16)[1] == 16


def test_broken_forms_are_shown_only_where_nothing_else_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def half_broken(example: Example) -> tuple[float, str]:
        return (1.0, "ok") if example.input % 2 else (0.0, "invalid")

    assert [e.input % 2 for e in _pick(monkeypatch, half_broken)[0]] == [1, 1, 1, 0, 0, 0]

    def one_wrong(example: Example) -> tuple[float, str]:
        return (0.0, "ok") if example.input == 8 else half_broken(example)

    assert [e.input for e in _pick(monkeypatch, one_wrong)[0][3:]] == [8]


def test_a_failed_service_is_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _pick(monkeypatch, lambda e: (None, "unknown")) == ([], len(EXAMPLES))


def test_endless_examples_are_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    picked, run = _pick(monkeypatch, lambda e: 1.0, Endless(), number=2, most=24)
    assert run == 24
    assert all(48 <= e.input < 72 for e in picked)
    assert len(picked) == 3
