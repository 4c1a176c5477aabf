"""PromptPO: what fails is repaired, summaries are written, and equal code is not run twice."""

from __future__ import annotations

import random

import pytest
from tests.methods.carts import (
    FAITHFUL,
    REFLECTS,
    REPAIRS,
    SUMMARISES,
    WRITES,
    Carts,
    climbing,
    code,
    fenced,
    kinds,
    search,
    writer,
)

from optimand import improve
from optimand.core.model import Request
from optimand.llm.scripted import Scripted


@pytest.mark.parametrize("fault", ["crash = 0", "slow = 0", "odd = 3"])
@pytest.mark.parametrize("race", [True, False])
def test_a_policy_that_fails_is_repaired_and_the_repaired_code_counts(
    fault: str, race: bool
) -> None:
    seen: list[str] = []
    proposer = writer(lambda rng, _: code(0.5 + 0.1 * rng.random(), fault), seen)
    task = Carts()
    result = search(task, proposer, options={"rounds": 1, "width": 3, "race": race})
    best = result.best
    assert best.operator == "repair"
    assert "pass" in best.artifact.parts["policy"]
    assert [c.operator for c in result.lineage] == ["given", "promptpo", "repair"]
    repairs = [text for text in seen if text.startswith(REPAIRS)]
    assert 1 <= len(repairs) <= 3
    assert all(f"Traceback of {fault.split()[0]}" in text for text in repairs)
    assert result.reasons["failed when it was run, and was repaired"] == len(repairs)
    own = {example for policy, example in task.executed if policy == best.artifact.parts["policy"]}
    assert own == {"0", "1", "2", "3", "4"}


def test_code_that_breaks_a_rule_before_it_runs_is_repaired_too() -> None:
    seen: list[str] = []

    def draw(rng: random.Random, text: str) -> str:
        return "gain = 0.5"

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        seen.append(text)
        return fenced(code(0.5)) if text.startswith(REPAIRS) else fenced(draw(random.Random(), ""))

    result = search(Carts(), Scripted(answer, name="r"), options={"rounds": 1, "width": 1})
    assert result.best.artifact.parts["policy"] == code(0.5)
    assert "line 1: a class is needed" in seen[1]
    assert "gain = 0.5\n</part>" in seen[1]


def test_repairs_end_and_a_policy_that_still_fails_wins_nothing() -> None:
    def answer(request: Request) -> str:
        text = request.messages[-1].content
        seen.append(text)
        return fenced(code(random.Random(request.seed).random(), "crash = 0"))

    seen: list[str] = []
    options = {"rounds": 2, "width": 2, "repairs": 3}
    result = search(Carts(), Scripted(answer, name="hopeless"), options=options)
    assert kinds(seen) == {WRITES: 4, REPAIRS: 12}
    assert result.reasons["still fails after 3 repairs"] == 4
    assert "nothing that scored higher" in result.uncertified
    assert result.best == result.start


def test_the_summary_is_written_once_and_repaired() -> None:
    seen: list[str] = []
    made = ("def summarise(o): return broken", "def summarise(o): broken", "def summarise(o): ...")
    task = Carts(parts=("summary",))
    options = {"rounds": 3, "width": 3, **FAITHFUL}
    result = search(task, writer(climbing, seen, summaries=made), options=options)
    assert kinds(seen) == {SUMMARISES: 1, WRITES: 9, REFLECTS: 2, REPAIRS: 2}
    assert sum("NameError: broken" in text for text in seen) == 2
    last = [text for text in seen if text.startswith(WRITES)][-1]
    assert "no summary" not in last
    assert result.best.artifact.parts["summary"] == made[-1]
    assert len(task.executed) == 9 * 5 + 2 * 5


def test_a_summary_that_stays_broken_stops_nothing() -> None:
    made = ["def summarise(o): return broken"] * 100
    task = Carts(parts=("summary",))
    result = search(task, writer(climbing, summaries=made), options={"rounds": 2, "width": 2})
    assert "gain" in result.best.artifact.parts["policy"]


def test_a_summary_that_is_there_is_kept() -> None:
    seen: list[str] = []
    start = {"policy": "", "summary": "def summarise(o): return 'x'"}
    method = {"type": "promptpo", "rounds": 1, "width": 1}
    result = improve(start, Carts(), method=method, proposer=writer(climbing, seen))
    assert kinds(seen) == {WRITES: 1}
    assert result.best.artifact.parts["summary"] == start["summary"]


def test_code_that_differs_in_comments_alone_is_not_run_again() -> None:
    task = Carts()
    proposer = writer(lambda rng, _: code(0.5, f"# {rng.random()}\n    pass"))
    result = search(task, proposer, options={"rounds": 3, "width": 5, "race": False})
    assert len(task.executed) == 5
    assert len(result.known) == 2
