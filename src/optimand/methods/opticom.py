"""OptiCom: a controller chooses query, operator, width, depth and retention anew at each step."""

from __future__ import annotations

from typing import Literal

from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Search
from optimand.methods.registry import method
from optimand.strategies.opticom.desk import Desk
from optimand.strategies.opticom.package import Package

__all__ = ["opticom"]


@method(
    "opticom",
    source="OptiCom 2026, arXiv:2609.37221",
    roles=("proposer", "critic", "controller", "adapter"),
)
def opticom(
    problem: Problem,
    *,
    steps: int = 100,
    controller: Literal["rules", "model", "random", "fixed"] = "rules",
    adapter: bool = True,
    experience: bool = True,
    invent: bool = True,
    operator: str = "revise",
) -> Search:
    """Choose every step by the state of the search, and the preferences behind it when stuck.

    The state: the incumbent's score and failures, open errors, steps without a gain, drafts, how
    each operator has done, what is left to spend. The controller (`rules`, a `model`, `random`, or
    `fixed`: always `operator`) answers with a package: operator, scope, batch, width, depth,
    retention. It is checked before anything is spent; a model is told once what was wrong, then the
    rules take over. Proposals that were not run on "val" are drafts and displace nobody. After
    three steps without a gain, or an error that stays, the adapter rewrites the operators' weights
    and may (`invent`) ask a model for a new one. `experience` False forgets tallies.
    """
    desk = Desk(problem.memory, problem.rng("opticom"), experience)
    if operator not in desk.preferences.operators:
        known = ", ".join(desk.preferences.operators)
        raise InputError(f"method 'opticom': no operator {operator!r}; there is {known}")
    for _ in range(steps):
        if adapter and controller != "fixed":
            yield from desk.adapt(invent=invent)
        if controller == "fixed":
            package = desk.usable(Package(operator, width=2))
        elif controller == "random":
            package = desk.usable(
                Package(desk.rng.choice(list(desk.preferences.operators)), width=2)
            )
        elif controller == "model":
            package = yield from desk.by_model()
        else:
            package = desk.by_rules()
        yield from desk.carry_out(package)
