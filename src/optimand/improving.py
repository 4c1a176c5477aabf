"""The verb `improve`: search for a better artifact, then prove the gain on unseen examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from optimand.artifacts.given import start_and_surface
from optimand.core.action import Observer, Strategy
from optimand.core.arguments import check_arguments
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.given import need_client
from optimand.core.identity import study_settings
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.model import Client
from optimand.core.pool import DaemonPool
from optimand.core.run import Run
from optimand.core.store import Event, Store
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
from optimand.strategies.pick.specs import strategy_from, with_baseline
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
    method: a method's name, or a mapping with `type` and its options (see `optimand methods`).
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
    chosen, options = _method(method)
    start, surface = start_and_surface(artifact, change, task)
    clients = _clients(proposer, chosen)
    splits = search_splits(task, seed)
    rule = SearchStrategy(
        chosen.name, chosen.search, options, surface, chosen.final, chosen.goes_on
    )
    settings = study_settings([start], task, confidence, rule, seed)
    settings["models"] = {role: client.name for role, client in sorted(clients.items())}
    name = f"{task.name}-{content_hash(settings)[:8]}"
    place = MemoryStore() if store is None or store == "memory:" else store
    job = _Job(
        task, splits, start, rule, clients, Ledger(budget), budget, confidence, seed, observe
    )
    with opened(place, name, settings) as journal:
        job.log = Log(journal, gather=task.width > 1)
        found = wait_for(job.carry_out)
    return job.result(found, name, place)


@dataclass
class _Job:
    task: Task
    splits: Mapping[str, Any]
    start: Candidate
    rule: SearchStrategy
    clients: Mapping[str, Client]
    ledger: Ledger
    budget: Budget | None
    confidence: float
    seed: int
    observe: Observer | None
    log: Any = None
    memory: Any = None

    async def carry_out(self) -> tuple[Verdict, Verdict | None, str]:
        pool = DaemonPool(self.task.width) if self.task.width > 1 else None
        self.memory = Memory(self.start)
        self.ledger.resume_at(self.log.elapsed)
        try:
            search = await self._search(pool)
            certificate, why = await self._certify(search, pool)
            return search, certificate, why
        finally:
            self.log.close()
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)
            await self.task.close()
            for client in {id(c): c for c in self.clients.values()}.values():
                await client.close()

    async def _search(self, pool: Any) -> Verdict:
        seen = {n: split for n, split in self.splits.items() if n != "test"}
        rule = replace(self.rule, keep=self._keep)
        limited = self.ledger.child(_less(self.budget, 1.0 - RESERVE))
        view = TaskView(self.task, seen)
        return await self._drive(view, [self.start], rule, limited, pool, "search")

    def result(
        self, found: tuple[Verdict, Verdict | None, str], name: str, place: Store | str | Path
    ) -> ImproveResult:
        search, certificate, why = found
        return ImproveResult(
            self.rule.name,
            self.start,
            search,
            certificate,
            self.memory.known,
            Counter(trial.why for trial in self.memory.rejected),
            self.ledger.spent(),
            self.confidence,
            why,
            name,
            place,
        )

    def _keep(self, memory: Memory) -> None:
        self.memory = memory

    async def _certify(self, search: Verdict, pool: Any) -> tuple[Verdict | None, str]:
        if search.reason not in ("finished", "budget"):
            return None, f"{search.reason} ({search.detail})" if search.detail else search.reason
        best = finalists(self.memory, self.rule.final, FINALISTS)
        if not best:
            return None, "the search found nothing that it would keep"
        if "test" not in self.splits:
            return None, "the task has no test examples"
        entries = [self.start, *best]
        judge = self.task.judge
        pairs = judge is not None and judge.kind == "pair"
        names = [c.name for c in entries]
        delta = 1.0 - self.confidence
        rule = with_baseline(
            strategy_from(None, names, pairs=pairs, delta=delta), self.start.name, entries
        )
        view = TaskView(self.task, {"all": self.splits["test"]})
        return await self._drive(view, entries, rule, self.ledger, pool, "verdict"), ""

    async def _drive(
        self,
        view: TaskView,
        entries: list[Candidate],
        rule: Strategy,
        ledger: Ledger,
        pool: Any,
        kind: str,
    ) -> Verdict:
        about = session(view, entries, rule, self.budget)
        begun = Event("session", about, at=self.ledger.seconds)
        await self.log.write([begun, *example_events(view, self.log.history)])
        clients = self.clients
        run = Run(view, entries, self.log, ledger, seed=self.seed, clients=clients, pool=pool)
        verdict = await drive(run, rule, self.observe)
        await self.log.write([Event(kind, verdict.to_json(), at=self.ledger.seconds)])
        return verdict


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
