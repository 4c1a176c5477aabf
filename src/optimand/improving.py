"""The verb `improve`: search for a better artifact, then prove the gain on unseen examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimand.artifacts.given import start_and_surface
from optimand.core.action import Observer, Strategy
from optimand.core.arguments import check_arguments
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.example import Example, endless
from optimand.core.given import need_client
from optimand.core.identity import study_settings
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.model import Client
from optimand.core.proposal import Problem
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.core.waiting import wait_for
from optimand.core.working import working
from optimand.improve_result import ImproveResult
from optimand.memory.archive import Memory, ranked_on
from optimand.memory.pareto import objective_names, pareto_front
from optimand.methods.registry import Method, chosen
from optimand.provenance import example_events, session
from optimand.storage.opening import opened, place_of
from optimand.strategies.improve.filming import filmed
from optimand.strategies.improve.looking import looked_at
from optimand.strategies.improve.search import SearchStrategy
from optimand.strategies.pick.race import ScoreRace
from optimand.tasks.splitting import TaskView, search_splits

__all__ = ["improve", "improve_name"]

FINALISTS = 2
"""The search's best that go into the certificate: each more costs power, and needs examples."""
RESERVE = 0.3
"""Share of each limit that is kept for the certificate."""


def improve(  # noqa: PLR0913
    artifact: Any,
    task: Task,
    *,
    method: str | Mapping[str, Any] = "gepa",
    proposer: Client | Mapping[str, Client] | None = None,
    change: Sequence[str] | Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    budget: Budget | None = None,
    store: Store | str | Path | None = None,
    seed: int = 0,
    observe: Observer | None = None,
) -> ImproveResult:
    """Search for a better `artifact`, and say whether it is better.

    artifact: a text, a mapping of named texts and settings, a Policy, an Artifact or a Candidate.
    method: a method's name, or a mapping with `type` and its options (see docs/improve.md).
    proposer: the model that writes proposals, or a mapping from role to model.
    change: names of the text parts that may change (default: all texts), or a mapping with
        `texts`, `settings` (see artifacts.space), `limits` (characters) and `fields`.
    budget: limits on everything; 30 % of each is kept for the certificate.
    The certificate compares the start with the search's best on the task's split "test" (or on
    half of its examples where it has one pool): the probability that the result is called proven
    and is not better than the start is at most 1 - confidence. Resumes as `pick` does.
    Raises InputError for what can be seen to be wrong before anything is spent.
    """
    check_arguments(task, confidence, seed, budget)
    plan = _Plan.of(artifact, task, method, proposer, change, confidence, seed)
    place = place_of(store)
    job = _Job(task, search_splits(task, seed), plan, budget, confidence, seed, observe)
    with opened(place, plan.study, plan.settings) as journal:
        search, certificate, why = wait_for(lambda: job.carry_out(journal))
    memory = plan.rule.memory
    return ImproveResult(
        plan.method.name,
        memory.start,
        search,
        certificate,
        memory.known,
        Counter(trial.why for trial in memory.rejected),
        job.ledger.spent(),
        confidence,
        why,
        plan.study,
        place,
        job.warnings,
        _front(plan.rule),
    )


def improve_name(
    artifact: Any,
    task: Task,
    *,
    method: str | Mapping[str, Any] = "gepa",
    proposer: Client | Mapping[str, Client] | None = None,
    change: Sequence[str] | Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> str:
    """The name under which `improve` keeps a study with these arguments."""
    return _Plan.of(artifact, task, method, proposer, change, confidence, seed).study


@dataclass(frozen=True)
class _Plan:
    """What a call of `improve` asks for, checked; `settings` are the study's, and name it."""

    method: Method
    rule: SearchStrategy
    clients: Mapping[str, Client]
    study: str
    settings: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        artifact: Any,
        task: Task,
        method: str | Mapping[str, Any],
        proposer: Client | Mapping[str, Client] | None,
        change: Sequence[str] | Mapping[str, Any] | None,
        confidence: float,
        seed: int,
    ) -> _Plan:
        _need_scores(task)
        found, options = chosen(method)
        start, surface = start_and_surface(artifact, change, task)
        clients = _clients(proposer, found, texts=bool(surface.texts))
        found.try_out(Problem(Memory(start), surface, task, seed), options)
        rule = SearchStrategy(
            found.name, found.search, options, surface, Memory(start), found.result(options)
        )
        settings = study_settings([start], task, confidence, rule, seed)
        settings["models"] = {role: client.name for role, client in sorted(clients.items())}
        settings["method"] = {"type": found.name, **found.defaults, **options}
        settings["change"] = surface.describe()
        return cls(found, rule, clients, f"{task.name}-{content_hash(settings)[:8]}", settings)


class _Job:
    """The search and its certificate, in one log and under one ledger."""

    def __init__(
        self,
        task: Task,
        splits: Mapping[str, Sequence[Example]],
        plan: _Plan,
        budget: Budget | None,
        confidence: float,
        seed: int,
        observe: Observer | None,
    ) -> None:
        self.task, self.splits = task, splits
        self.rule, self.clients = plan.rule, plan.clients
        self.warnings: tuple[str, ...] = ()
        self.budget, self.ledger = budget, Ledger(budget)
        self.confidence, self.seed, self.observe = confidence, seed, observe
        self.pool: Executor | None = None

    async def carry_out(self, journal: Journal) -> tuple[Verdict, Verdict | None, str]:
        """The search's verdict, the certificate's if there is one, else why there is none."""
        async with working(self.task, journal, self.ledger) as (log, self.pool):
            try:
                return await self._carry_out(log)
            finally:
                for client in {id(c): c for c in self.clients.values()}.values():
                    await client.close()

    async def _carry_out(self, log: Log) -> tuple[Verdict, Verdict | None, str]:
        seen = {n: split for n, split in self.splits.items() if n != "test"}
        limited = self.ledger.child(_less(self.budget, 1.0 - RESERVE))
        limited.resume_at(log.elapsed)
        search = await self._drive(log, seen, [self.rule.memory.start], self.rule, limited)
        entries, why = self._entries(search)
        if why:
            return search, None, why
        race = ScoreRace(1.0 - self.confidence, baseline=entries[0].name)
        unseen = {"all": self.splits["test"]}
        certificate = await self._drive(log, unseen, entries, race, self.ledger)
        found = self._found(entries, certificate)
        await self._warn(log, found)
        await filmed(log, self.task, found, self.pool, self.ledger.seconds)
        return search, certificate, ""

    def _entries(self, search: Verdict) -> tuple[list[Candidate], str]:
        """Start and finalists, or why there is nothing to compare."""
        if search.reason not in ("finished", "budget"):
            return [], f"{search.reason} ({search.detail})" if search.detail else search.reason
        memory = self.rule.memory
        best = memory.finalists(FINALISTS, self.rule.final)
        if not best and search.reason == "budget" and not memory.steps:
            return [], f"the budget was used up before anything was proposed ({search.detail})"
        if not best:
            within = " within its budget" if search.reason == "budget" else ""
            return [], f"the search found nothing that scored higher than the start{within}"
        if "test" not in self.splits:
            return [], "the task has no test examples"
        return [memory.start, *best], ""

    def _found(self, entries: Sequence[Candidate], certificate: Verdict) -> Candidate:
        """The certificate's best; where it keeps the start, the search's best."""
        named = next((c for c in entries[1:] if c.id == certificate.best), None)
        return named or entries[1]

    async def _warn(self, log: Log, best: Candidate) -> None:
        """Look at the artifact that was found, and log, once, what is odd about it."""
        train = self.splits["train"]
        shown = () if endless(train) else train
        self.warnings = looked_at(self.rule, best, shown, self.task)
        key = content_hash("warnings", best.id, self.warnings)
        if self.warnings and log.find(key) is None:
            body = {"candidate": best.id, "texts": list(self.warnings)}
            await log.write([Event("warnings", body, key, self.ledger.seconds)])

    async def _drive(
        self,
        log: Log,
        splits: Mapping[str, Sequence[Example]],
        entries: list[Candidate],
        rule: Strategy,
        ledger: Ledger,
    ) -> Verdict:
        view = TaskView(self.task, splits)
        begun = Event("session", session(view, entries, rule, self.budget), at=ledger.seconds)
        await log.write([begun, *example_events(view, log.history)])
        clients, pool = self.clients, self.pool
        run = Run(view, entries, log, ledger, seed=self.seed, clients=clients, pool=pool)
        verdict = await drive(run, rule, self.observe)
        kind = "search" if rule is self.rule else "verdict"
        await log.write([Event(kind, verdict.to_json(), at=ledger.seconds)])
        return verdict


def _front(rule: SearchStrategy) -> tuple[Candidate, ...]:
    memory, split = rule.memory, ranked_on(rule.final)
    names = objective_names(memory.records(memory.start, split))
    return tuple(pareto_front(memory, names, split))


def _need_scores(task: Task) -> None:
    if task.judge is not None and task.judge.kind == "pair":
        raise InputError("improving needs scores: give the task a judge that scores one output")


def _clients(
    given: Client | Mapping[str, Client] | None, method: Method, *, texts: bool
) -> dict[str, Client]:
    if isinstance(given, Mapping):
        clients = dict(given)
    else:
        clients = {} if given is None else {"proposer": given}
    known = (*method.roles, *method.optional)
    for role, client in clients.items():
        need_client(client, f"the {role}")
    if "proposer" in clients:
        clients = {**dict.fromkeys(known, clients["proposer"]), **clients}
    needed = (*method.roles, *(method.for_texts if texts else ()))
    missing = [role for role in needed if role not in clients]
    if missing:
        raise InputError(
            f"method {method.name!r} asks a model as {', '.join(missing)}: give proposer=..., one "
            "client for all roles or a mapping from role to client"
        )
    return {role: client for role, client in clients.items() if role in known}


def _less(budget: Budget | None, share: float) -> Budget | None:
    if budget is None:
        return None
    spending = {n: v * share for n, v in budget.limits().items()}
    counts = {n: math.floor(v) for n, v in spending.items() if n not in ("usd", "seconds")}
    limits: dict[str, Any] = {**spending, **counts}
    return Budget(**limits)
