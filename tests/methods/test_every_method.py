"""What holds for every method: it survives junk, keeps its budget, and repeats no paid call."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.methods.benches import improved, token_editor, tokens_task

import optimand
from optimand import Budget
from optimand.methods.registry import all_methods
from optimand.storage.connect import connect

NUMERIC = {"tpe"}
"""Change settings only, and this bench has none: their own tests say the same of them."""
NAMES = sorted(all_methods().keys() - NUMERIC)
ODD: dict[str, dict[str, object]] = {}
"""Options that a method needs on this bench."""


def run(name: str, budget: Budget, junk: float = 0.3, **kwargs: object) -> object:
    return optimand.improve(
        "start",
        tokens_task(),
        method={"type": name, **ODD.get(name, {})},
        proposer=token_editor(junk),
        budget=budget,
        **kwargs,  # type: ignore[arg-type]
    )


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    found["spent"] = {k: v for k, v in found["spent"].items() if k != "seconds"}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_survives_replies_that_are_junk(name: str) -> None:
    result = improved({"type": name, **ODD.get(name, {})}, 600, proposer=token_editor(1.0))
    assert result.best.name
    assert not result.proven


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limits", [{"rollouts": 77}, {"calls": 7}, {"rollouts": 300, "calls": 3}])
def test_it_overspends_no_budget(name: str, limits: dict[str, int]) -> None:
    result = run(name, Budget(**limits))
    for door, most in limits.items():
        assert result.spent[door] <= most  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_call_again_makes_no_call(name: str, tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        with closing(connect(tmp_path / "s.db")) as store:
            found.append(run(name, Budget(rollouts=500, calls=60), store=store))
    first, second = (_timeless(result.to_json()) for result in found)  # type: ignore[attr-defined]
    assert first == second


@pytest.mark.parametrize("name", sorted(all_methods()))
def test_it_says_how_it_works(name: str) -> None:
    one = all_methods()[name]
    assert one.source
    assert len((one.search.__doc__ or "").splitlines()) >= 4
