"""An agent drives: what it can reach, what it is told, and the door for other programs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.methods.benches import TOKENS, tokens_task

import optimand
from optimand import Budget
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.agent_door import AgentDoor
from optimand.llm.scripted import Scripted

ALL = {"value": " ".join(TOKENS)}
MOST = {"value": " ".join(TOKENS[:-1])}


def driven(
    actions: Callable[[], Iterator[object]], rollouts: int = 3000
) -> tuple[ImproveResult, list[str]]:
    """A session in which the agent takes these actions, and what it was told."""
    told: list[str] = []
    script = actions()

    def answer(request: Request) -> str:
        told.append(request.messages[-1].content)
        return json.dumps(next(script, {"tool": "finish"}))

    result = optimand.improve(
        "start",
        tokens_task(),
        method="oeo",
        proposer={"agent": Scripted(answer, name="agent")},
        budget=Budget(rollouts=rollouts),
    )
    return result, told


def test_an_agent_finds_the_words_in_a_few_calls() -> None:
    def session() -> Iterator[object]:
        yield {"tool": "examples"}
        yield {"tool": "validate", "parts": ALL}

    result, told = driven(session)
    assert result.proven
    assert result.spent["calls"] <= 3
    assert "training examples" in told[1]
    assert told[0].count("validate") >= 1


def test_only_training_examples_can_be_read_or_run() -> None:
    train: list[str] = []

    def session() -> Iterator[object]:
        yield {"tool": "examples"}
        yield {"tool": "run", "parts": ALL, "examples": [f"e{i}" for i in range(120)]}
        yield {"tool": "run", "parts": ALL, "examples": train[:3]}

    def answer(request: Request) -> str:
        said = request.messages[-1].content
        if "training examples, from" in said:
            train.extend(line.split(":")[0] for line in said.splitlines()[1:])
        told.append(said)
        return json.dumps(next(script, {"tool": "finish"}))

    told: list[str] = []
    script = session()
    optimand.improve(
        "start", tokens_task(), method="oeo", proposer={"agent": Scripted(answer, name="a")}
    )
    assert "error: no training example" in told[2]
    assert told[3].splitlines()[1].startswith(f"{train[0]}: score 1.00")


@pytest.mark.parametrize(
    "action",
    [
        5,
        {"tool": "rm"},
        {"tool": "run", "parts": ALL},
        {"tool": "run", "parts": {"other": "x"}, "examples": ["e1"]},
        {"tool": "validate", "parts": {"value": 5}},
        {"tool": "run", "parts": ["x"], "examples": "e1"},
    ],
)
def test_what_is_no_action_is_told_so_and_ends_nothing(action: object) -> None:
    def session() -> Iterator[object]:
        yield action
        yield action
        yield {"tool": "validate", "parts": ALL}

    result, told = driven(session)
    assert any("error:" in said for said in told)
    assert result.proven


def test_without_interaction_nothing_is_run_but_the_start() -> None:
    result, _ = driven(lambda: iter([{"tool": "finish"}]))
    assert result.best == result.start
    assert result.spent["rollouts"] == 24  # the start on the validation examples


def test_an_overspent_session_ends() -> None:
    def session() -> Iterator[object]:
        for i in range(100):
            yield {"tool": "validate", "parts": {"value": f"t{i % 12} w{i}"}}

    result, _ = driven(session, 200)
    assert result.spent["rollouts"] <= 200
    assert result.search.reason == "budget"


def improving(door: AgentDoor) -> ImproveResult:
    found = optimand.improve("start", tokens_task(), method="oeo", proposer={"agent": door})
    door.end(f"over: {found}")
    return found


def test_another_program_drives_through_the_door() -> None:
    async def session() -> tuple[list[str], ImproveResult]:
        door = AgentDoor()
        search = asyncio.create_task(asyncio.to_thread(improving, door))
        said = [await door.contract()]
        said.append(await door.act({"tool": "validate", "parts": MOST}))
        said.append(await door.act({"tool": "finish"}))
        said.append(await door.act({"tool": "examples"}))
        return said, await search

    said, result = asyncio.run(session())
    assert "your tools" in said[0]
    assert float(said[1].removeprefix("mean score on validation examples: ")) > 0.8
    assert said[2].startswith("over:")
    assert said[3] == said[2]
    assert result.proven


def test_a_client_of_the_protocol_drives(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    from optimand.cli.mcp import server_for

    async def session() -> tuple[set[str], list[str], ImproveResult]:
        door = AgentDoor()
        search = asyncio.create_task(asyncio.to_thread(improving, door))
        async with mcp.Client(server_for(door)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            calls: list[tuple[str, dict[str, object]]] = [
                ("contract", {}),
                ("validate", {"parts": MOST}),
                ("finish", {}),
            ]
            said = [(await client.call_tool(name, given)).content[0].text for name, given in calls]
        return names, said, await search

    names, said, result = asyncio.run(session())
    assert names == {"contract", "examples", "run", "validate", "candidates", "finish"}
    assert float(said[1].removeprefix("mean score on validation examples: ")) > 0.8
    assert result.proven
