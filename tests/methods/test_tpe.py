"""TPE on standard test functions: better than random search at equal trials."""

from __future__ import annotations

from collections.abc import Callable
from math import sin
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from optimand import Budget, FunctionTask, improve
from optimand.core.errors import InputError, SetupError
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.operators import numeric

pytest.importorskip("optuna")

Function = Callable[[float, float], float]


def booth(x: float, y: float) -> float:
    return (x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2


def mccormick(x: float, y: float) -> float:
    return sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1


def rosenbrock(x: float, y: float) -> float:
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def camel(x: float, y: float) -> float:
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


BENCHES: list[tuple[Function, tuple[float, float], tuple[float, float], float]] = [
    (booth, (-10, 10), (-10, 10), 0.0),
    (mccormick, (-1.5, 4), (-3, 4), -1.9133),
    (rosenbrock, (-2, 2), (-1, 3), 0.0),
    (camel, (-3, 3), (-2, 2), -1.0317),
]


def _regret(method: Any, bench: Any, seed: int) -> float:
    """How far the best of 40 trials is above the minimum."""
    function, first, second, least = bench
    found: list[float] = []

    def score(parts: Any, example: Any, seed: int) -> float:
        found.append(function(parts["x"], parts["y"]) - least)
        return 1.0 / (1.0 + max(0.0, found[-1]))

    spaces = [{"low": low, "high": high} for low, high in (first, second)]
    splits = FunctionTask(score, [{"id": "e", "input": 0}], name="numbers")
    splits.splits = {"val": splits.splits["all"]}
    improve(
        {"x": first[0], "y": second[0]},
        splits,
        method=method,
        change={"settings": dict(zip("xy", spaces, strict=True))},
        proposer=None if method["type"] == "tpe" else _unused(),
        budget=Budget(rollouts=1000),
        seed=seed,
    )
    assert len(found) <= 41
    return min(found)


def _unused() -> Any:
    return Scripted(lambda request: "", name="unused")


@pytest.mark.parametrize("bench", BENCHES, ids=lambda b: b[0].__name__)
def test_it_beats_random_search_at_equal_trials(bench: Any) -> None:
    seeds = range(10)
    tpe = mean(_regret({"type": "tpe", "steps": 40}, bench, seed) for seed in seeds)
    blind = mean(_regret({"type": "random-search", "steps": 40}, bench, seed) for seed in seeds)
    assert tpe < blind


START = {"note": "keep", "tone": "dry", "count": 1, "level": 0.0}
SPACE = {
    "tone": ["dry", "warm", ["a", "list"]],
    "count": {"low": 0.5, "high": 6, "whole": True},
    "level": {"low": -1, "high": 1},
}


def _mixed(options: dict[str, Any], **kwargs: Any) -> ImproveResult:
    def score(parts: Any, example: Any, seed: int) -> float:
        near = 1.0 - abs(parts["level"] - 0.5) / 2
        return 0.5 * near + 0.3 * (parts["tone"] == "warm") + 0.03 * parts["count"]

    rows = [{"id": f"e{i}", "input": i} for i in range(10)]
    return improve(
        START,
        FunctionTask(score, rows, name="mixed"),
        method={"type": "tpe", **options},
        change={"settings": SPACE},
        **{"budget": Budget(rollouts=1000), **kwargs},
    )


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_numbers_counts_and_choices_keep_their_types_and_limits(sampler: str) -> None:
    result = _mixed({"steps": 15, "width": 2, "sampler": sampler})
    found = [c.artifact.parts for c in result.known.values()]
    assert 20 < len(found) <= 31
    assert {parts["note"] for parts in found} == {"keep"}
    assert {type(parts["count"]) for parts in found} == {int}
    assert {parts["count"] for parts in found} <= set(range(1, 7))
    assert all(-1.0 <= parts["level"] <= 1.0 for parts in found)
    assert {"dry", "warm"} <= {str(parts["tone"]) for parts in found}
    assert all(parts["tone"] in SPACE["tone"] for parts in found)
    assert result.spent["calls"] == 0


def test_what_was_learned_is_used() -> None:
    result = _mixed({"steps": 50})
    best = result.known[result.search.best].artifact.parts
    assert best["tone"] == "warm"
    assert best["count"] >= 5
    assert abs(best["level"] - 0.5) < 0.3


def test_the_same_call_again_proposes_the_same(tmp_path: Path) -> None:
    first, other = (_mixed({"steps": 20}, seed=seed) for seed in (0, 1))
    again = _mixed({"steps": 20}, store=str(tmp_path / "a.db"))
    resumed = _mixed({"steps": 20}, store=str(tmp_path / "a.db"))
    assert list(first.known) == list(again.known) == list(resumed.known)
    assert list(first.known) != list(other.known)


@pytest.mark.parametrize("rollouts", [0, 1, 7, 20])
def test_no_budget_is_overspent(rollouts: int) -> None:
    result = _mixed({"width": 3}, budget=Budget(rollouts=rollouts))
    assert result.spent["rollouts"] <= rollouts


def test_no_library_speaks_up(capfd: pytest.CaptureFixture[str]) -> None:
    _mixed({"steps": 3})
    assert capfd.readouterr() == ("", "")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="there are none: name them"):
        improve("start", FunctionTask(lambda v, e, s: 0.5, list(range(10))), method="tpe")
    with pytest.raises(InputError, match="sampler is 'cma'"):
        _mixed({"sampler": "cma"})
    monkeypatch.setattr(numeric, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"optimand\[optuna\]"):
        _mixed({})
    with pytest.raises(SetupError, match="pip install torch"):
        _mixed({"sampler": "gp"})
