"""Best of n and random search: what selection gives without learning."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.methods.benches import improved

from optimand import Budget, FunctionTask, improve
from optimand.core.errors import InputError
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

SPACE = {
    "x": {"low": -2, "high": 3},
    "depth": {"low": 1, "high": 4, "whole": True},
    "k": list("ab"),
}
START = {"x": 0.0, "depth": 1, "k": "a", "note": "keep"}


def _settings(seed: int = 0, steps: int = 60) -> ImproveResult:
    def score(parts: Any, example: Any, seed: int) -> float:
        return max(0.0, 1.0 - abs(parts["x"] - 2.0) / 5.0) - 0.1 * (parts["k"] == "a")

    rows = [{"id": f"e{i}", "input": i} for i in range(40)]
    return improve(
        START,
        FunctionTask(score, rows, name="settings"),
        method={"type": "random-search", "steps": steps},
        change={"settings": SPACE},
        budget=Budget(rollouts=5000),
        seed=seed,
    )


def test_settings_are_drawn_from_their_whole_space_without_a_model() -> None:
    result = _settings()
    found = [c.artifact.parts for c in result.known.values() if c is not result.start]
    assert len(found) == 60
    assert {parts["note"] for parts in found} == {"keep"}
    assert {parts["k"] for parts in found} == {"a", "b"}
    assert {parts["depth"] for parts in found} == {1, 2, 3, 4}
    places = sorted(parts["x"] for parts in found)
    assert -2.0 <= places[0] < -1.5  # each bound fails with probability 0.9 ** 60 < 0.002
    assert 2.5 < places[-1] <= 3.0
    assert result.spent["calls"] == 0
    assert result.proven
    assert abs(result.best.artifact.parts["x"] - 2.0) < 0.5
    assert _settings(seed=1).known.keys() != result.known.keys()


def _asked(method: dict[str, Any], **kwargs: Any) -> tuple[Any, list[str]]:
    prompts: list[str] = []

    def rewrite(request: Request) -> str:
        prompts.append(request.messages[-1].content)
        word = f"t{random.Random(request.seed).randrange(24)}"
        shown = prompts[-1].rpartition('<part name="value">\nstart')[2].partition("\n</part>")[0]
        return f'<part name="value">\nstart{shown.partition("</part>")[0]} {word}\n</part>'

    return improved(method, proposer=Scripted(rewrite, name="words"), **kwargs), prompts


def test_best_of_n_rewrites_the_start_each_time_and_shows_no_evidence() -> None:
    result, prompts = _asked({"type": "best-of-n", "n": 15})
    assert len(prompts) == 15
    assert len(set(prompts)) == 1
    assert "missing" not in prompts[0]
    assert "score" not in prompts[0]
    made = [c for c in result.known.values() if c is not result.start]
    assert len(made) > 5
    assert {c.parents for c in made} == {(result.start.id,)}
    assert max(len(c.artifact.parts["value"].split()) for c in made) == 2
    assert result.search.best != result.start.id


def test_random_search_walks_from_any_candidate_and_keeps_all() -> None:
    result, prompts = _asked({"type": "random-search", "steps": 40})
    assert len(prompts) == 40
    parents = {c.parents[0] for c in result.known.values() if c.parents}
    assert len(parents) > 5
    assert result.start.id in parents
    assert set(result.reasons) <= {"proposed before"}


@pytest.mark.parametrize("name", ["best-of-n", "random-search"])
def test_texts_keep_their_limits(name: str) -> None:
    change = {"texts": ["value"], "limits": {"value": 8}}
    result, prompts = _asked({"type": name}, change=change)
    assert "at most 8 characters" in prompts[0]
    assert all(len(c.artifact.parts["value"]) <= 8 for c in result.known.values())


def test_texts_and_settings_change_together() -> None:
    def answer(request: Request) -> str:
        said = request.messages[-1].content
        assert '<part name="x">' not in said  # settings are drawn, not asked for
        return f'<part name="note">\nnote {request.seed}\n</part>'

    result = improve(
        START,
        FunctionTask(lambda parts, example, seed: 0.5, name="flat"),
        method={"type": "random-search", "steps": 5},
        proposer=Scripted(answer),
        change={"texts": ["note"], "settings": {"x": SPACE["x"]}},
    )
    made = [c for c in result.known.values() if c is not result.start]
    assert len({c.artifact.parts["note"] for c in made}) == 5
    assert len({c.artifact.parts["x"] for c in made}) == 5
    assert all(c.parents[0] in result.known for c in made)


def test_texts_need_a_proposer() -> None:
    def never(parts: Any, example: Any, seed: int) -> float:
        raise AssertionError("nothing is run before that is said")

    with pytest.raises(InputError, match="'random-search' asks a model as proposer: give"):
        improve("a text", FunctionTask(never), method="random-search")
