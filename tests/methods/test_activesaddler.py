"""ActiveSaddler on three planted failure patterns, of which one is rare."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from optimand import Budget, FunctionTask, improve
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.queries.minibatch import epochs
from optimand.strategies.improve import search

SHARES = {"alpha": 12, "beta": 5, "gamma": 3}
KINDS = [kind for kind, count in SHARES.items() for _ in range(count)]


def planted(examples: int = 120) -> FunctionTask:
    """Of twenty cases 12, 5 and 3 belong to a pattern, and pass once the text names it."""

    def run(value: str, example: Any, seed: int) -> tuple[float, str]:
        kind = KINDS[example.input % 20]
        passed = kind in value.split()
        return float(passed), "" if passed else f"pattern {kind}"

    rows = [{"id": f"e{i}", "input": i} for i in range(examples)]
    return FunctionTask(run, rows, name="planted")


def engineer(decide: Callable[[str], str]) -> Scripted:
    """Mends a pattern only where it sees three cases of it at once; labels by the feedback."""

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        if request.choices:
            return decide(text)
        if "You judge failure patterns" in text:
            found = re.findall(r"^(\d+)\. \w+: .* \((\d+) open", text, re.MULTILINE)
            rows = [_row(int(i), float(int(count) >= 3)) for i, count in found]
            return json.dumps({"scores": rows})
        if request.schema:
            kind = re.findall(r"feedback: pattern (\w+)", text)[0]
            return json.dumps({"label": kind, "diagnosis": f"name {kind}", "part": "value"})
        cases = re.findall(r"feedback: pattern (\w+)", text)
        clear = [kind for kind in SHARES if cases.count(kind) >= 3]
        value = re.findall(r'<part name="value">\n(.*?)\n</part>', text, re.DOTALL)[0]
        word = clear[0] if clear else f"junk{request.seed}"
        return f'<part name="value">\n{value} {word}\n</part>'

    return Scripted(answer, name=f"engineer-{decide.__name__}")


def _row(number: int, fixable: float) -> dict[str, float]:
    row = {"severity": 0.5, "fixability": fixable, "breadth": fixable, "side_effect": 0.0}
    return {"pattern": number, **row}


def wisely(text: str) -> str:
    counts = re.findall(r"\((\d+) open", text)
    return "pull" if any(int(count) >= 3 for count in counts) else "draw"


def always_draw(text: str) -> str:
    return "draw"


def silly(text: str) -> str:
    return "neither of the two"


def mended(decide: Callable[[str], str] = wisely, seed: int = 0, **options: Any) -> ImproveResult:
    return improve(
        "start",
        planted(),
        method={"type": "activesaddler", "steps": 60, **options},
        proposer=engineer(decide),
        budget=Budget(rollouts=4000),
        seed=seed,
    )


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The examples of each step."""
    seen: list[list[str]] = []
    note = search.note_step

    async def watch(run: Any, number: int, step: Any) -> None:
        seen.append([e.id for e in step.evidence.examples])
        await note(run, number, step)

    monkeypatch.setattr(search, "note_step", watch)
    return seen


def test_it_mends_all_three_in_fewer_rollouts_than_a_fixed_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    active = [mended(seed=seed) for seed in range(4)]
    for result in active:
        assert set(SHARES) <= set(result.best.artifact.parts["value"].split())
        assert result.proven
    place = "optimand.methods.activesaddler.pull_or_draw"
    monkeypatch.setattr(place, lambda notes, **kwargs: epochs)
    fixed = [mended(seed=seed) for seed in range(4)]
    used = [sum(r.search.used for r in results) for results in (active, fixed)]
    assert used[0] < 0.7 * used[1]


def test_draws_never_repeat(worked_on: list[list[str]]) -> None:
    mended(always_draw)
    drawn = [i for ids in worked_on for i in ids]
    first_round = drawn[:36]  # the whole training split
    assert len(set(first_round)) == 36
    assert all(len(ids) == 4 for ids in worked_on[:9])


def test_an_unreadable_decision_pulls(worked_on: list[list[str]]) -> None:
    mended(silly, steps=5)
    first = set(worked_on[0])
    assert first
    assert all(set(ids) <= first for ids in worked_on[1:] if ids)


def test_a_patch_that_does_not_help_its_cases_is_dropped() -> None:
    result = mended(always_draw, steps=8)
    assert any("no better than its parent" in reason for reason in result.reasons)
