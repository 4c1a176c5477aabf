"""Directional feedback on Booth's function: the more is said of the way, the fewer the steps."""

from __future__ import annotations

import random
import re
from typing import Any, Literal

import numpy as np
from tests.methods.benches import improved, token_editor

from optimand import Budget, FunctionTask, improve
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

Kind = Literal["exact", "synthesized", "reward"]
SPACE = {"x": {"low": -10, "high": 10}, "y": {"low": -10, "high": 10}}
CLOSE = 0.5
SIZES = (2.0, 1.0, 0.5, 0.25)
NUMBER = r'<part name="{}">\n(\S+)\n</part>'


def booth(x: float, y: float) -> float:
    """0 at (1, 3)."""
    return float((x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2)


def _task(told: bool) -> FunctionTask:
    def run(parts: Any, example: Any, seed: int) -> dict[str, Any]:
        x, y = parts["x"], parts["y"]
        a, b = x + 2 * y - 7, 2 * x + y - 5
        slopes = {"x": a + 2 * b, "y": 2 * a + b}  # half the gradient
        words = [f"{'lower' if slope > 0 else 'raise'} {name}" for name, slope in slopes.items()]
        value = booth(x, y)
        score = 1.0 if value < CLOSE else 1.0 / (1.0 + value / 20.0)
        return {"score": score, "feedback": ", ".join(words) if told else ""}

    rows = [{"id": f"e{i}", "input": i} for i in range(10)]
    return FunctionTask(run, rows, name="booth")


def _point(said: str) -> tuple[float, float]:
    x, y = (float(re.findall(NUMBER.format(name), said)[-1]) for name in "xy")
    return x, y


def _follower() -> Scripted:
    """Moves each number as the direction or the feedback says; where none is given, anywhere."""

    def answer(request: Request) -> str:
        said = request.messages[-1].content
        rng, size = random.Random(request.seed), SIZES[(request.seed or 0) % len(SIZES)]
        told = said.partition("## the current version")[0].rpartition("feedback:")[2]
        told = told.rpartition("## direction")[2]
        moved = []
        for name, value in zip("xy", _point(said), strict=True):
            way = re.findall(rf"(lower|raise) {name}", told)
            sign = rng.choice((-1, 0, 1)) if not way else -1 if way[-1] == "lower" else 1
            moved.append(f'<part name="{name}">\n{value + sign * size:.2f}\n</part>')
        return "\n".join(moved)

    return Scripted(answer, name="follower")


def _synthesizer(prompts: list[str]) -> Scripted:
    """The signs of a plane fitted to the attempts nearest to the current point."""

    def answer(request: Request) -> str:
        said = request.messages[-1].content
        prompts.append(said)
        tried = said.partition("## attempts")[2].partition("\n## ")[0]
        xs, ys = ([float(v) for v in re.findall(NUMBER.format(name), tried)] for name in "xy")
        scores = [float(v) for v in re.findall(r"^score: (\S+)$", tried, re.MULTILINE)]
        here = np.array(_point(said))
        points = np.column_stack([xs, ys]) - here
        near = np.argsort(np.hypot(*points.T))[:5]
        if len(near) < 3:
            return "The attempts do not tell."
        plane = np.column_stack([np.ones(len(near)), points[near]])
        slopes = np.linalg.lstsq(plane, np.array(scores)[near], rcond=None)[0][1:]
        ways = ["raise" if slope > 0 else "lower" for slope in slopes]
        return f"{ways[0]} x, {ways[1]} y"

    return Scripted(answer, name="synthesizer")


def _run(kind: Kind, seed: int = 0, steps: int = 60) -> tuple[ImproveResult, list[str]]:
    asked: list[str] = []
    result = improve(
        {"x": 0.0, "y": 0.0},
        _task(kind == "exact"),
        method={
            "type": "directional",
            "steps": steps,
            "minibatch": 1,
            "synthesize": "never" if kind == "reward" else "untold",
        },
        proposer={"proposer": _follower(), "synthesizer": _synthesizer(asked)},
        change={"settings": SPACE},
        budget=Budget(rollouts=3000),
        seed=seed,
    )
    return result, asked


def _steps(kind: Kind, seed: int) -> int:
    """Candidates tried until one is close to the minimum, where the search ends."""
    result, _ = _run(kind, seed)
    return len(result.known) - 1


def test_steps_needed_by_what_is_told() -> None:
    mean = {
        kind: float(np.mean([_steps(kind, seed) for seed in range(8)]))
        for kind in ("exact", "synthesized", "reward")
    }
    assert mean["exact"] < mean["synthesized"] < mean["reward"]


def test_the_reward_never_falls() -> None:
    result, _ = _run("reward")
    one = result.known[result.search.best or ""]
    values = [booth(**one.artifact.parts)]
    while one.parents:
        one = result.known[one.parents[0]]
        values.append(booth(**one.artifact.parts))
    assert len(values) > 3
    assert values == sorted(set(values))  # from the best back to the start, each worse
    assert any("no better than the best so far" in why for why in result.reasons)


def test_the_synthesizer_is_asked_only_where_the_task_says_nothing() -> None:
    assert not _run("exact", steps=5)[1]
    assert not _run("reward", steps=5)[1]
    _, asked = _run("synthesized", steps=5)
    assert len(asked) == 5
    assert asked[-1].count("\nscore: ") >= 5  # the attempts, those that were not kept too


def test_always_asks_where_there_is_feedback_too() -> None:
    asked: list[str] = []

    def direct(request: Request) -> str:
        asked.append(request.messages[-1].content)
        return "add what is missing"

    clients = {"proposer": token_editor(0.0), "synthesizer": Scripted(direct, name="always")}
    method = {"type": "directional", "steps": 4, "synthesize": "always"}
    improved(method, proposer=clients)
    assert len(asked) == 4
    assert all("missing t" in prompt for prompt in asked)


def test_it_climbs_on_tokens() -> None:
    result = improved({"type": "directional", "steps": 40})
    assert result.proven
