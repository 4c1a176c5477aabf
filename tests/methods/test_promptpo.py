"""PromptPO on scripted policies: rounds, races, reflections, what is kept, and what it costs."""

from __future__ import annotations

import random
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.methods.carts import (
    ABOUT,
    FAITHFUL,
    REFLECTS,
    SUMMARISES,
    WRITES,
    Carts,
    climbing,
    code,
    kinds,
    search,
    writer,
)

from optimand import Budget, improve
from optimand.core.errors import InputError
from optimand.core.example import Endless
from optimand.improve_result import ImproveResult
from optimand.methods.registry import all_methods
from optimand.storage.connect import connect


def test_the_faithful_form_makes_the_stated_calls_and_episodes() -> None:
    seen: list[str] = []
    task = Carts(parts=("summary",))
    options = {"rounds": 10, "width": 10, **FAITHFUL}
    result = search(task, writer(climbing, seen), options=options)
    assert result.spent["calls"] == len(seen) == 1 + 10 * 10 + 9
    assert kinds(seen) == {SUMMARISES: 1, WRITES: 100, REFLECTS: 9}
    assert result.spent["rollouts"] == len(task.executed) == 10 * 10 * 5
    assert {example for _, example in task.executed} == {"0", "1", "2", "3", "4"}
    assert result.search.reason == "finished"
    assert "no test examples" in result.uncertified
    assert result.best.artifact.parts["summary"]


def test_prompts_hold_the_task_the_winners_and_the_reflections() -> None:
    seen: list[str] = []
    search(Carts(), writer(climbing, seen), options={"rounds": 3, "width": 2, "episodes": 3})
    rounds = [text for text in seen if text.startswith(WRITES)]
    assert all(ABOUT in text for text in seen)
    assert rounds[0] == rounds[1]
    assert "### attempt" not in rounds[0]
    assert len(re.findall(r"^### attempt \d", rounds[-1], re.M)) == 2
    assert rounds[-1].count("the best so far") == 1
    assert len(re.findall(r"^- return [\d.]+: went \d+ m$", rounds[-1], re.M)) == 6
    assert rounds[-1].count("speed is lacking") == 2  # the older one, and the last
    assert len(re.findall(r"^reflection: ", rounds[-1], re.M)) == 1
    assert "speed is lacking" not in rounds[0]
    reflections = [text for text in seen if text.startswith(REFLECTS)]
    assert "## earlier attempts\nnone" in reflections[0]
    assert "## earlier attempts\n### attempt 1" in reflections[1]


def test_without_reflections_none_is_asked_for() -> None:
    seen: list[str] = []
    search(Carts(), writer(climbing, seen), options={"reflect": False, **FAITHFUL})
    assert kinds(seen) == {WRITES: 24}


@pytest.mark.parametrize("episodes", [5, 8])
def test_a_race_saves_episodes_and_finds_the_same_winners(episodes: int) -> None:
    """Populations of ten policies whose differences are larger than the noise of their own."""
    same, spent = 0, Counter[bool]()
    for seed in range(20):
        found = {}
        for race in (True, False):
            task = Carts(noise=0.01)
            proposer = writer(lambda rng, _: code(rng.uniform(0.1, 0.9)))
            options = {"rounds": 1, "width": 10, "episodes": episodes, "race": race}
            found[race] = search(task, proposer, options=options, seed=seed).best.id
            spent[race] += len(task.executed)
            assert len(set(task.executed)) == len(task.executed)  # none twice
        same += found[True] == found[False]
    assert spent[False] == 20 * 10 * episodes
    assert spent[True] <= 0.5 * spent[False]
    assert same >= 19


def test_a_race_keeps_ties() -> None:
    task = Carts(noise=0.0)
    search(
        task,
        writer(lambda rng, _: code(0.5, f"n = {rng.random()}")),
        options={"rounds": 1, "width": 4, "episodes": 4},
    )
    assert len(task.executed) == 16


@pytest.mark.parametrize("keep", ["best", "last"])
def test_best_and_last_differ_where_the_last_is_worse(keep: str) -> None:
    gains = iter((0.3, 0.6, 0.4))
    proposer = writer(lambda *_: code(next(gains)))
    options = {"rounds": 3, "width": 1, "keep": keep, "episodes": 2}
    best = search(Carts(), proposer, options=options).best
    assert best.artifact.parts["policy"] == code(0.6 if keep == "best" else 0.4)


def test_the_last_winner_is_the_result_though_it_won_before() -> None:
    gains = iter((0.6, 0.3, 0.6))
    proposer = writer(lambda *_: code(next(gains)))
    task = Carts()
    best = search(task, proposer, options={"rounds": 3, "width": 1, **FAITHFUL}).best
    assert best.artifact.parts["policy"] == code(0.6)
    assert len(task.executed) == 10  # what ran before is known


def test_what_goes_into_the_certificate_follows_keep() -> None:
    method = all_methods()["promptpo"]
    assert method.result({}) == "train"
    assert method.result({"keep": "last"}) == "last"
    assert all_methods()["gepa"].result({}) == "val"


def test_a_certificate_compares_the_start_with_the_winner() -> None:
    task = Carts()
    task.splits = {"all": Endless()}
    result = search(task, writer(climbing), Budget(rollouts=500))
    assert result.proven
    assert result.best.id in {s.candidate for s in result.search.standings}
    assert result.search.standings[0].runs == 5


def test_the_search_ends_at_a_perfect_winner() -> None:
    seen: list[str] = []
    search(Carts(0.0), writer(lambda *_: code(1.0), seen), options={"width": 1})
    assert kinds(seen) == {WRITES: 1}


@pytest.mark.parametrize("race", [True, False])
def test_it_climbs(race: bool) -> None:
    for seed in range(3):
        options = {"rounds": 10, "width": 10, "race": race}
        best = search(Carts(0.01), writer(climbing), options=options, seed=seed).best
        found = re.search(r"gain = ([\d.]+)", best.artifact.parts["policy"])
        assert found
        assert float(found[1]) >= 0.4


@pytest.mark.parametrize(
    "limits", [{"rollouts": 77}, {"calls": 17}, {"rollouts": 200, "calls": 9}, {"calls": 1}]
)
def test_no_budget_is_overspent(limits: dict[str, int]) -> None:
    proposer = writer(lambda rng, text: climbing(rng, text) + "  # crash = 2")
    task = Carts(parts=("summary",))
    result = search(task, proposer, Budget(**limits))  # type: ignore[arg-type]
    assert all(result.spent[door] <= most for door, most in limits.items())
    assert len(task.executed) <= limits.get("rollouts", 1000)


@pytest.mark.parametrize("options", [{}, FAITHFUL])
def test_replies_that_are_junk_leave_it_alive(options: dict[str, Any]) -> None:
    def draw(rng: random.Random, text: str) -> str:
        return climbing(rng, text) + ("  # crash = 0" if rng.random() < 0.3 else "")

    summaries = ["def summarise(o): return broken", "def summarise(o): ..."] * 9
    for seed in range(4):
        proposer = writer(draw, junk=0.3, summaries=summaries)
        task = Carts(parts=("summary",))
        result = search(task, proposer, options={"rounds": 6, **options}, seed=seed)
        assert result.search.reason == "finished"
        assert "gain" in result.best.artifact.parts["policy"]
        assert result.reasons["the reply could not be read"] > 3


def test_a_run_that_was_broken_off_goes_on_to_the_same_history(tmp_path: Path) -> None:
    def run(store: Any, budget: Budget | None) -> tuple[list[str], ImproveResult, Carts]:
        seen: list[str] = []
        task = Carts(parts=("summary",))
        options = {"rounds": 3, "width": 4}
        proposer = writer(
            lambda rng, text: climbing(rng, text) + "  # crash = 1" * (rng.random() < 0.3), seen
        )
        return seen, search(task, proposer, budget, options=options, store=store), task

    whole, expected, _ = run(str(tmp_path / "whole.db"), None)
    with closing(connect(str(tmp_path / "s.db"))) as store:
        first, _, some = run(store, Budget(calls=14))
        second, result, rest = run(store, None)
        again, once_more, none = run(store, None)
    assert 0 < len(first) < len(whole)
    assert sorted(first + second) == sorted(whole)  # no call is made twice
    assert not set(some.executed) & set(rest.executed)
    assert not again
    assert not none.executed
    for found in (result, once_more):
        assert found.best == expected.best
        assert list(found.known) == list(expected.known)
        assert found.search.standings == expected.search.standings


def test_an_artifact_without_a_text_for_the_policy_is_refused() -> None:
    with pytest.raises(InputError, match="writes a policy"):
        improve(
            {"summary": "", "policy": ""},
            Carts(),
            method="promptpo",
            change=["summary"],
            proposer=writer(climbing),
        )
