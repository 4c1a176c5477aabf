"""OEO: an agent composes the optimization itself; the contract around it is fixed."""

from __future__ import annotations

from optimand.core.model import Message, Request
from optimand.core.proposal import Context, Evidence, Problem, Propose, Search, Trial
from optimand.methods.registry import method
from optimand.queries.ask import prompt
from optimand.queries.blocks import limits, render
from optimand.strategies.agent.tools import ACTION, TOOLS, act

__all__ = ["oeo"]

LATEST = 40
"""Turns of the session that the agent is shown again, besides the contract."""


async def _as_made(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:  # noqa: ARG001
    return trials


@method("oeo", source="OEO 2026, arXiv:2608.09629", roles=("agent",))
def oeo(problem: Problem, *, steps: int = 200) -> Search:
    """Let an agent drive: it reads, runs, edits and compares as it likes, under the same contract.

    The role `agent`, any client or a coding agent over the Model Context Protocol (`optimand mcp`),
    is told the objective, the artifact, its limits, the tools and the budget. Each step it answers
    with one action: read training examples, run parts on some of them, validate parts, list what
    was validated, finish. Outputs and feedback come from training examples alone, validation gives
    a mean, test examples are out of reach; every call is metered, and the final comparison is not
    the agent's. A reply that is no action is told so and costs its call.
    """
    talk: list[Message] = []

    async def turn(context: Context, evidence: Evidence) -> list[Trial]:
        contract = Message("user", _contract(context, evidence))
        request = Request((contract, *talk[-LATEST:]), schema=ACTION)
        reply = await context.run.ask("agent", request)
        said, trials = await act(context, evidence, reply.parsed)
        talk.extend((Message("assistant", reply.text or "(nothing)"), Message("user", said)))
        done = said == "finished"
        return trials or [Trial(None, False, "", meta={"finished": done})]

    for _ in range(steps):
        step = yield Propose(turn, (problem.memory.best(),), _as_made)
        if any(trial.meta.get("finished") for trial in step.trials):
            return


def _contract(context: Context, evidence: Evidence) -> str:
    run, start = context.run, context.memory.start
    left = "; ".join(f"{name}: {most:g}" for name, most in run.ledger.limits.items())
    values = {
        "current": render(context, start),
        "limits": limits(context, evidence) or "none",
        "tools": "\n".join(f"- {name}: {about}" for name, about in TOOLS.items()),
        "budget": left or "no limit",
    }
    return prompt("agent", values, {})
