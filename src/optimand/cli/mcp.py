"""`optimand mcp`: an agent improves the artifact of a study file, over its own protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimand.cli.common import or_exit, say
from optimand.cli.options import StoreOf

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from optimand.core.task import Task
    from optimand.llm.agent_door import AgentDoor
    from optimand.tasks.improve_study import ImproveStudy

__all__ = ["mcp", "server_for"]

INSTRUCTIONS = (
    "You improve an artifact under a fixed contract. Call `contract` first; then examples, run, "
    "validate and candidates as you like; call `finish` when done. Test examples are out of reach."
)


def mcp(
    study: Annotated[Path, typer.Argument(help="a study file (YAML) with a section `improve`")],
    store: StoreOf = None,
) -> None:
    """Serve a study to a coding agent or any other client of the Model Context Protocol, by stdio.

    The study's method is replaced by `oeo`: the client is the optimizer, under the study's budget,
    and everything it does is metered and logged. Needs the extra `mcp`.
    """
    or_exit(lambda: asyncio.run(_serve(study, store)))


async def _serve(path: Path, store: str | None) -> None:
    from optimand.core.errors import SetupError
    from optimand.llm.agent_door import AgentDoor
    from optimand.tasks.improve_study import load_improve_study

    door = AgentDoor()
    try:
        server = server_for(door)
    except ImportError:
        raise SetupError("this needs an extra: pip install 'optimand[mcp]'") from None
    study = load_improve_study(path)
    task = study.task()
    search = asyncio.create_task(asyncio.to_thread(_improve, study, task, store, door))
    # The client ends the session: whatever it still asks is answered, also after the search.
    await server.run_stdio_async()
    if not search.done():
        door.end()
    await search


def _improve(study: ImproveStudy, task: Task, store: str | None, door: AgentDoor) -> None:
    """Run the study with the agent behind the door as its method."""
    from optimand.improving import improve

    said = "the session has failed; see the server's messages"
    try:
        result = improve(
            study.artifact,
            task,
            method="oeo",
            proposer={"agent": door},
            change=study.change,
            confidence=study.confidence,
            budget=study.budget,
            store=store or study.store,
            seed=study.seed,
        )
        said = f"the session has ended. {result}"
        say(str(result))
    finally:
        door.end(said)


def server_for(door: AgentDoor) -> MCPServer:
    """A server whose tools are the actions of an agent; raises ImportError without the extra."""
    server = _strict_server()

    async def act(tool: str, **fields: Any) -> str:
        return _told(await door.act({"tool": tool, **{n: v for n, v in fields.items() if v}}))

    async def contract() -> str:
        """What to improve, its limits, the budget and the tools. Call this first."""
        return await door.contract()

    async def examples(start: int = 0) -> str:
        """Read 30 training examples, from number `start` on."""
        return await act("examples", start=start)

    async def run(examples: list[str], parts: dict[str, str] | None = None) -> str:
        """Run parts (or the best so far) on up to 20 training examples, by id."""
        return await act("run", parts=parts, examples=examples)

    async def validate(parts: dict[str, str]) -> str:
        """Score parts on all validation examples; only the mean is shown."""
        return await act("validate", parts=parts)

    async def candidates() -> str:
        """List what was validated, with scores and parts."""
        return await act("candidates")

    async def finish() -> str:
        """End the search; the best validated candidate is compared with the start on test."""
        return await act("finish")

    for tool in (contract, examples, run, validate, candidates, finish):
        server.tool()(tool)
    return server


def _strict_server() -> MCPServer:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    class Strict(MCPServer):
        """Refuses arguments that a tool does not have, which would be left out in silence."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            tools = {tool.name: tool for tool in await self.list_tools()}
            if name in tools:
                known = list(tools[name].input_schema["properties"])
                unknown = ", ".join(a for a in arguments if a not in known)
                if unknown:
                    have = ", ".join(known) or "none"
                    raise ToolError(f"{name} has no argument {unknown}; it has: {have}")
            return await super().call_tool(name, arguments, context)

    return Strict("optimand", instructions=INSTRUCTIONS)


def _told(said: str) -> str:
    """What an action gave; an error is marked as one for the client."""
    from mcp.server.mcpserver.exceptions import ToolError

    from optimand.strategies.agent.tools import ERROR

    if said.startswith(ERROR):
        raise ToolError(said.removeprefix(ERROR))
    return said
