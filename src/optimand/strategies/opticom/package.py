"""Action packages: what a controller asks for, checked before anything is spent."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from optimand.core.artifact import Candidate
from optimand.core.model import object_schema
from optimand.core.proposal import Context, Evaluate, Evidence, Propose, Query, Trial
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import as_good_as_parent, beats_parent
from optimand.memory.archive import Memory
from optimand.memory.fronts import draw_from_front
from optimand.operators.named import Named
from optimand.queries.blocks import failures, history, limits, successes
from optimand.queries.query import query

__all__ = ["PROVISIONAL", "VERIFY", "Package", "package_from", "schema", "to_propose"]

Scope = Literal["incumbent", "errors", "history", "diverse"]
Depth = Literal["none", "shallow", "standard", "deep"]
Retain = Literal["better", "any", "none"]

VERIFY = "verify"
"""The operator that evaluates drafts made before and not yet run on "val"."""
PROVISIONAL = "provisional: not run on val yet"
WIDEST, LARGEST = 8, 20
"""Most proposals, and most training examples, of one package."""


@dataclass(frozen=True)
class Package:
    """One step as a controller asks for it (OptiCom, action packages).

    operator: a name of the register. scope: what the proposer is shown, and whom it starts from:
    the incumbent alone, with its failures, with the past solutions too, or another member of the
    instance front. batch: training examples to look at. width: proposals. depth: how far they are
    evaluated: not at all; on the batch; the best of the batch on "val"; or all of them on "val".
    retain: keep what is as good as its parent, all that passed, or nothing.
    """

    operator: str
    scope: Scope = "errors"
    batch: int = 3
    width: int = 1
    depth: Depth = "standard"
    retain: Retain = "any"

    def complaints(self, operators: Mapping[str, Named], memory: Memory, drafts: int) -> list[str]:
        """What forbids it, as sentences that a controller can act on."""
        found = []
        if self.operator == VERIFY:
            if not drafts:
                found.append("there are no drafts to verify")
            if self.depth not in ("standard", "deep"):
                found.append("verifying needs depth standard or deep")
        elif self.operator not in operators:
            found.append(f"no operator {self.operator[:40]!r}; there is {', '.join(operators)}")
        elif operators[self.operator].parents > len(memory.pool):
            found.append(f"{self.operator} needs {operators[self.operator].parents} candidates")
        for name, most in (("width", WIDEST), ("batch", LARGEST)):
            if not 1 <= getattr(self, name) <= most:
                found.append(f"{name} must be from 1 to {most}")
        return found

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def schema(operators: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of a package."""

    def one_of(kind: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(get_args(kind))}

    return object_schema(
        {
            "operator": {"type": "string", "enum": [*operators, VERIFY]},
            "scope": one_of(Scope),
            "batch": {"type": "integer"},
            "width": {"type": "integer"},
            "depth": one_of(Depth),
            "retain": one_of(Retain),
        }
    )


def package_from(data: Any) -> Package | None:
    """The package in a parsed reply; None where it is none."""
    if not isinstance(data, Mapping) or not data.get("operator"):
        return None
    known = {name: data.get(name, default) for name, default in asdict(Package("")).items()}
    kinds = {"scope": Scope, "depth": Depth, "retain": Retain}
    fits = isinstance(known["operator"], str) and all(
        type(known[name]) is int for name in ("batch", "width")
    )
    if not fits or any(known[n] not in get_args(k) for n, k in kinds.items()):
        return None
    return Package(**known)


def to_propose(
    package: Package,
    operators: Mapping[str, Named],
    memory: Memory,
    drafts: Sequence[Candidate],
    rng: random.Random,
) -> Propose:
    """The step that a package without complaints asks for."""
    params = {"package": package.plain()}
    if package.operator == VERIFY:
        best = (memory.best(),)
        return Propose(_redraw(drafts), best, _evaluation(package), params=params)
    named = operators[package.operator]
    parents = _parents(package, memory, named.parents, rng)
    evaluate, look = _evaluation(package), _query(package, named)
    return Propose(named.operator, parents, evaluate, look, package.width, params)


def _redraw(drafts: Sequence[Candidate]) -> Any:
    async def operator(context: Context, evidence: Evidence) -> list[Trial]:  # noqa: ARG001
        return [Trial(draft) for draft in drafts]

    return operator


def _parents(
    package: Package, memory: Memory, count: int, rng: random.Random
) -> tuple[Candidate, ...]:
    first = draw_from_front(memory, rng) if package.scope == "diverse" else memory.best()
    others = [c for c in memory.top(6) if c.id != first.id]
    rng.shuffle(others)
    return (first, *others[: count - 1])


def _query(package: Package, named: Named) -> Query:
    blocks: dict[str, Any] = {}
    if package.scope in ("history", "diverse") or not named.looks:
        blocks["past_solutions"] = history(20 if package.scope == "history" else 8)
    if named.looks:
        blocks |= {"failures": failures, "successes": successes}
    split = "train" if named.looks or package.scope == "errors" else ""
    return query(split, package.batch, **blocks, limits=limits)


def _evaluation(package: Package) -> Evaluate:
    batch = Stage("batch", beats_parent, keep=1 if package.depth == "standard" else 0)
    if package.retain == "none":
        last = Stage("val", lambda *_: "retained nothing, as asked")
    else:
        last = Stage("val", as_good_as_parent) if package.retain == "better" else Stage("val")
    if package.operator == VERIFY or package.depth == "deep":
        return cascade(last)
    if package.depth == "standard":
        return cascade(batch, last)
    return _provisional(cascade(batch) if package.depth == "shallow" else cascade())


def _provisional(screen: Evaluate) -> Evaluate:
    """What passes stays a draft: a score that is not of "val" never displaces a candidate."""

    async def evaluate(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:
        done = await screen(context, evidence, trials)
        return [
            Trial(t.candidate, False, PROVISIONAL, t.records, t.meta)
            if t.accepted and t.candidate
            else t
            for t in done
        ]

    return evaluate
