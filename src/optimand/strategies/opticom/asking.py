"""Steps in which a model controls or adapts: they propose no candidate, and cost a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optimand.core.proposal import Context, Evidence, Propose, Trial
from optimand.memory.archive import Memory
from optimand.operators.named import Named
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import render
from optimand.strategies.opticom.package import package_from, schema
from optimand.strategies.opticom.preferences import INVENTION, invention_from
from optimand.strategies.opticom.state import State

__all__ = ["ask_for_invention", "ask_for_package"]

SHOWN = 4_000
"""Characters of the artifact that a controller is shown."""


async def _keep(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:  # noqa: ARG001
    return trials


def ask_for_package(
    memory: Memory, state: State, operators: Mapping[str, Named], wrong: Sequence[str]
) -> Propose:
    """Ask the role "controller"; the trial's meta holds "package", or None."""

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        values = {
            "state": state.text(),
            "left": _left(context),
            "operators": _listed(operators),
            "current": render(context, evidence.parents[0])[:SHOWN],
            "wrong": "\n".join(f"Your last choice was refused: {w}" for w in wrong),
        }
        text = prompt("controller", values, {})
        reply = await ask(context, "controller", text, len(wrong), schema=schema(list(operators)))
        return [Trial(None, False, "", meta={"package": package_from(reply.parsed)})]

    return Propose(operator, (memory.best(),), _keep, params={"asks": "controller"})


def ask_for_invention(memory: Memory, state: State, operators: Mapping[str, Named]) -> Propose:
    """Ask the role "adapter" for one new operator; the trial's meta holds "operator", or None."""

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        values = {
            "state": state.text(),
            "operators": _listed(operators),
            "current": render(context, evidence.parents[0])[:SHOWN],
        }
        reply = await ask(context, "adapter", prompt("adapter", values, {}), schema=INVENTION)
        found = invention_from(reply.parsed, operators)
        if isinstance(found, str):
            return [Trial(None, False, found)]
        return [Trial(None, False, "", meta={"operator": found})]

    return Propose(operator, (memory.best(),), _keep, params={"asks": "adapter"})


def _listed(operators: Mapping[str, Named]) -> str:
    return "\n".join(f"- {one.name}: {one.about}" for one in operators.values())


def _left(context: Context) -> str:
    ledger = context.run.ledger
    spent = ledger.spent()
    lines = [f"{n}: {spent[n]:g} of {most:g}" for n, most in ledger.limits.items() if n in spent]
    return "; ".join(lines) or "no limit"
