"""The verb `improve`: search for a better artifact, then prove the gain on unseen examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from optimand.artifacts.given import start_and_surface
from optimand.core.action import Observer, Strategy
from optimand.core.arguments import check_arguments
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_client
from optimand.core.identity import study_settings
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.model import Client
from optimand.core.pool import DaemonPool
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.core.waiting import wait_for
from optimand.improve_result import ImproveResult
from optimand.memory.archive import Memory
from optimand.methods.registry import Method, named
from optimand.provenance import example_events, session
from optimand.storage.memory import MemoryStore
from optimand.storage.opening import opened
from optimand.strategies.improve.search import SearchStrategy, finalists
from optimand.strategies.pick.race import ScoreRace
from optimand.tasks.splitting import TaskView, search_splits

__all__ = ["improve"]

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
    _need_scores(task)
    chosen, options = _method(method)
    start, surface = start_and_surface(artifact, change, task)
    clients = _clients(proposer, chosen)
    rule = SearchStrategy(chosen.name, chosen.search, options, surface, Memory(start))
    settings = study_settings([start], task, confidence, rule, seed)
    settings["models"] = {role: client.name for role, client in sorted(clients.items())}
    name = f"{task.name}-{content_hash(settings)[:8]}"
    place = MemoryStore() if store is None or store == "memory:" else store
    job = _Job(task, search_splits(task, seed), rule, clients, budget, confidence, seed, observe)
    with opened(place, name, settings) as journal:
        search, certificate, why = wait_for(lambda: job.carry_out(journal))
    memory = rule.memory
    return ImproveResult(
        chosen.name,
        start,
        search,
        certificate,
        memory.known,
        Counter(trial.why for trial in memory.rejected),
        job.ledger.spent(),
        confidence,
        why,
        name,
        place,
    )


class _Job:
    """The search and its certificate, in one log and under one ledger."""

    def __init__(
        self,
        task: Task,
        splits: Mapping[str, Sequence[Example]],
        rule: SearchStrategy,
        clients: Mapping[str, Client],
        budget: Budget | None,
        confidence: float,
        seed: int,
        observe: Observer | None,
    ) -> None:
        self.task, self.splits, self.rule, self.clients = task, splits, rule, clients
        self.budget, self.ledger = budget, Ledger(budget)
        self.confidence, self.seed, self.observe = confidence, seed, observe
        self.pool = DaemonPool(task.width) if task.width > 1 else None

    async def carry_out(self, journal: Journal) -> tuple[Verdict, Verdict | None, str]:
        """The search's verdict, the certificate's if there is one, else why there is none."""
        log = Log(journal, gather=self.task.width > 1)
        self.ledger.resume_at(log.elapsed)
        try:
            seen = {n: split for n, split in self.splits.items() if n != "test"}
            limited = self.ledger.child(_less(self.budget, 1.0 - RESERVE))
            limited.resume_at(log.elapsed)
            start = [self.rule.memory.start]
            search = await self._drive(log, seen, start, self.rule, limited)
            entries, why = self._entries(search)
            if why:
                return search, None, why
            race = ScoreRace(1.0 - self.confidence, baseline=entries[0].name)
            unseen = {"all": self.splits["test"]}
            return search, await self._drive(log, unseen, entries, race, self.ledger), ""
        finally:
            log.close()
            if self.pool is not None:
                self.pool.shutdown(wait=False, cancel_futures=True)
            await self.task.close()
            for client in {id(c): c for c in self.clients.values()}.values():
                await client.close()

    def _entries(self, search: Verdict) -> tuple[list[Candidate], str]:
        """Start and finalists, or why there is nothing to compare."""
        if search.reason not in ("finished", "budget"):
            return [], f"{search.reason} ({search.detail})" if search.detail else search.reason
        memory = self.rule.memory
        best = finalists(memory, FINALISTS)
        if not best:
            return [], "the search found nothing that scored higher than the start"
        if "test" not in self.splits:
            return [], "the task has no test examples"
        return [memory.start, *best], ""

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


def _need_scores(task: Task) -> None:
    if task.judge is not None and task.judge.kind == "pair":
        raise InputError("improving needs scores: give the task a judge that scores one output")


def _method(given: str | Mapping[str, Any]) -> tuple[Method, dict[str, Any]]:
    options: dict[str, Any] = {"type": given} if isinstance(given, str) else dict(given)
    chosen = named(options.pop("type", None))
    chosen.check(options)
    return chosen, options


def _clients(given: Client | Mapping[str, Client] | None, method: Method) -> dict[str, Client]:
    if isinstance(given, Mapping):
        clients = dict(given)
    else:
        clients = {} if given is None else {"proposer": given}
    for role, client in clients.items():
        need_client(client, f"the {role}")
    if "proposer" in clients:
        clients = {**dict.fromkeys(method.roles, clients["proposer"]), **clients}
    missing = [role for role in method.roles if role not in clients]
    if missing:
        raise InputError(
            f"method {method.name!r} asks a model as {', '.join(missing)}: give proposer=..., one "
            "client for all roles or a mapping from role to client"
        )
    return {role: client for role, client in clients.items() if role in method.roles}


def _less(budget: Budget | None, share: float) -> Budget | None:
    if budget is None:
        return None
    spending = {n: v * share for n, v in budget.limits().items()}
    counts = {n: math.floor(v) for n, v in spending.items() if n not in ("usd", "seconds")}
    limits: dict[str, Any] = {**spending, **counts}
    return Budget(**limits)
