"""OptoPrime: a planted fault that only the trace shows."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.methods.benches import JUNK

from optimand import Budget, Example, improve
from optimand.artifacts.tracing import parameter, traced
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.tasks.program import ProgramTask

STAGES = 6
FAULT = 4
SHIFTS = [
    parameter(
        f"shift{i}",
        i if i != FAULT else -3,
        doc=f"stage {i} is to add {i}",
        space={"low": -9, "high": 9, "whole": True},
    )
    for i in range(STAGES)
]


@traced
def stage(value: int, number: int, shift: int) -> int:
    """Add the number of the stage."""
    return value + shift


@traced
def noise(value: int) -> str:
    return "not on the way"


def program(example: Example) -> Any:
    value: Any = example.input
    for number, shift in enumerate(SHIFTS):
        noise(value)
        value = stage(value, number, shift)
    return value


def score(output: int, example: Example) -> tuple[float, str]:
    right = output == example.input + sum(range(STAGES))
    return float(right), "right" if right else "the result is wrong"


def debugger(seen: list[str] | None = None, junk: float = 0.0) -> Scripted:
    """Mends the first stage whose values do not fit its documentation, else guesses."""

    def answer(request: Request) -> str:
        text, rng = request.messages[0].content, random.Random(request.seed)
        if seen is not None:
            seen.append(text)
        if rng.random() < junk:
            return rng.choice(JUNK)
        number, value = rng.randrange(STAGES), rng.randint(-9, 9)
        run = text.partition("### run 1")[2].partition("### run 2")[0]
        # The first stage has no other before it; the last value is the output.
        values = [int(v) for v in re.findall(r"^  stage_\d = (-?\d+)$", run, re.MULTILINE)]
        values += [int(v) for v in re.findall(r"^output:\n  (-?\d+)", run, re.MULTILINE)]
        for i, (before, after) in enumerate(pairwise(values), 1):
            if after - before != i:
                number, value = i, i
                break
        found = {f"shift{number}": str(value), "no_such": 1}
        return json.dumps({"reasoning": f"stage {number}", "suggestion": found})

    return Scripted(answer, name=f"debugger-{junk}")


def mended(seed: int = 0, client: Scripted | None = None, **options: Any) -> ImproveResult:
    task = ProgramTask(program, list(range(40)), score, SHIFTS)
    return improve(
        task.start,
        task,
        method={"type": "optoprime", "steps": 10, **options},
        change=task.change,
        proposer=client or debugger(),
        budget=Budget(rollouts=600),
        seed=seed,
    )


def test_the_trace_shows_the_fault_and_hiding_it_hurts() -> None:
    shown = [mended(seed) for seed in range(5)]
    hidden = [mended(seed, trace=False) for seed in range(5)]
    assert all(result.proven for result in shown)
    assert all(result.best.artifact.parts[f"shift{FAULT}"] == FAULT for result in shown)
    assert max(result.spent["calls"] for result in shown) == 1
    assert sum(result.proven for result in hidden) <= 1


def test_the_proposer_sees_the_sections_and_not_what_is_off_the_way() -> None:
    seen: list[str] = []
    mended(client=debugger(seen))
    for section in ("documentation", "runs", "the variables now"):
        assert f"## {section}" in seen[0]
    for title in ("code", "variables", "inputs", "others", "output", "feedback"):
        assert f"\n{title}:\n" in seen[0]
    assert "stage_2 = stage(value=stage_1, number=stage_2.number, shift=shift1)" in seen[0]
    assert "- stage (value: 'int', number: 'int', shift: 'int') -> 'int': Add the" in seen[0]
    assert f"- shift{FAULT} stage {FAULT} is to add" in seen[0]
    assert "a whole number from -9 to 9" in seen[0]
    assert "noise" not in seen[0]


def test_without_the_trace_only_outputs_and_feedback_are_seen() -> None:
    seen: list[str] = []
    mended(client=debugger(seen), trace=False)
    assert "the result is wrong" in seen[0]
    assert "stage_1" not in seen[0]


def test_values_are_cast_and_unknown_names_ignored() -> None:
    result = mended()
    assert result.best.artifact.parts[f"shift{FAULT}"] == FAULT
    assert type(result.best.artifact.parts[f"shift{FAULT}"]) is int
    assert "no_such" not in result.best.artifact.parts


def _answering(answer: Callable[[int], str], seen: list[str]) -> Scripted:
    def say(request: Request) -> str:
        seen.append(request.messages[0].content)
        return answer(len(seen))

    return Scripted(say, name="answering")


def _json(**suggestion: Any) -> str:
    return json.dumps({"reasoning": "so", "suggestion": suggestion})


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (_json(shift1="many"), "shift1: not a number"),
        (_json(shift1=99), "outside the range"),
        (_json(other=1), "nothing was suggested"),
        (_json(), "nothing was suggested"),
        (_json(shift1=1), "no change"),
        (_json(shift1=None), "not a number"),
        ('{"reasoning": "so", "suggestion": [1]}', "could not be read"),
    ],
)
def test_what_cannot_be_used_is_a_reason(reply: str, why: str) -> None:
    result = mended(client=_answering(lambda n: reply, []), steps=2)
    assert any(why in reason for reason in result.reasons), result.reasons


def test_memory_shows_so_many_versions() -> None:
    seen: list[str] = []
    client = _answering(lambda n: _json(shift1=n + 1), seen)
    mended(client=client, steps=4, memory=2)
    assert "earlier versions" not in seen[0]
    assert [text.count("Its rewrite was") for text in seen] == [0, 1, 2, 2]


def test_it_goes_on_among_junk() -> None:
    assert mended(client=debugger(junk=0.3)).proven


def test_text_parameters_are_shown_whole_and_changed() -> None:
    rules = parameter("rules", "start")

    @traced
    def answer(question: int, rules: str) -> bool:
        return "always" in rules

    task = ProgramTask(
        lambda e: answer(e.input, rules), list(range(40)), lambda o, e: float(o), [rules]
    )
    result = improve(
        task.start,
        task,
        method={"type": "optoprime", "steps": 2},
        change=task.change,
        proposer=_answering(lambda n: _json(rules="always {right}"), []),
    )
    assert result.best.artifact.parts == {"rules": "always {right}"}
    assert result.proven
