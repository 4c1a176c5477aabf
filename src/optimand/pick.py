"""The verb `pick`: the best of K candidates by adaptive evaluation, with a guarantee."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from optimand.core.action import Observer, Strategy
from optimand.core.artifact import Artifact, Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.result import PickResult

__all__ = ["pick"]


def pick(
    candidates: Sequence[Any],
    task: Task,
    *,
    confidence: float = 0.95,
    budget: Budget | None = None,
    store: Store | str | Path | None = None,
    strategy: Strategy | None = None,
    seed: int = 0,
    observe: Observer | None = None,
) -> PickResult:
    """Find the best of `candidates` on `task`, and stop as soon as the answer is safe.

    candidates: policies, Candidates, or plain values for a function task; two or more.
    confidence: probability in (0, 1) that a decided answer is truly best.
    budget: limits; when one is reached the result is undecided, with the best so far.
    store: a path (SQLite) or a Store; the same call again resumes and repeats no paid call.
    strategy: default is a race where the task gives scores, duels where its judge compares.
    Raises InputError for what can be seen to be wrong before anything is spent.
    Works inside a running event loop (a notebook) too.
    """
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}: it must lie strictly between 0 and 1")
    entries = _candidates(candidates, task)
    rule = strategy or default_strategy(task, 1.0 - confidence)
    settings = {
        "task": task.name,
        "execution": task.fingerprint(),
        "judge": task.judge.fingerprint() if task.judge else None,
        "candidates": {c.id: {"name": c.name, "parts": dict(c.artifact.parts)} for c in entries},
        "confidence": confidence,
        "strategy": rule.name,
        "seed": seed,
        "population": task.population,
    }
    name = f"{task.name}-{content_hash(settings)[:8]}"
    journal = _open(store).write(name, settings)
    ledger = Ledger(budget)
    verdict = _wait(lambda: _carry_out(entries, task, journal, ledger, rule, seed, observe))
    return PickResult(verdict, {c.id: c for c in entries}, confidence, ledger.spent())


def default_strategy(task: Task, delta: float) -> Strategy:
    """A race on shared examples where there are scores, duels where a judge compares."""
    if task.judge is not None and task.judge.kind == "pair":
        from optimand.statistics.duel import DuelOptions
        from optimand.strategies.pick.duel import Duel

        return Duel(DuelOptions(delta=delta))
    from optimand.strategies.pick.race import ScoreRace

    return ScoreRace(delta=delta)


def _candidates(given: Sequence[Any], task: Task) -> list[Candidate]:
    entries = [_candidate(value, i) for i, value in enumerate(given)]
    if len(entries) < 2:
        raise InputError(f"{len(entries)} candidate(s) given: picking needs at least 2")
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.id in seen:
            raise InputError(f"candidates {seen[entry.id]!r} and {entry.name!r} are the same")
        seen[entry.id] = entry.name
        complaints = task.check(entry.artifact)
        if complaints:
            raise InputError(f"candidate {entry.name!r}: {'; '.join(complaints)}")
    return entries


def _candidate(value: Any, index: int) -> Candidate:
    if isinstance(value, Candidate):
        return value
    make = getattr(value, "candidate", None)
    if callable(make):
        made = make(f"policy {index + 1}")
        if isinstance(made, Candidate):
            return made
    return Candidate(Artifact({"value": value}), value if isinstance(value, str) else repr(value))


def _open(store: Store | str | Path | None) -> Store:
    from optimand.storage.memory import MemoryStore
    from optimand.storage.sqlite import SqliteStore

    if store is None:
        return MemoryStore()
    return SqliteStore(store) if isinstance(store, str | Path) else store


async def _carry_out(
    entries: list[Candidate],
    task: Task,
    journal: Journal,
    ledger: Ledger,
    rule: Strategy,
    seed: int,
    observe: Observer | None,
) -> Verdict:
    pool = ThreadPoolExecutor(task.width) if task.width > 1 else None
    log = Log(journal, gather=task.width > 1)
    ledger.resume_at(log.elapsed)
    try:
        run = Run(task, entries, log, ledger, seed=seed, pool=pool)
        verdict = await drive(run, rule, observe)
        await log.write([Event("verdict", verdict.to_json(), at=ledger.seconds)])
        return verdict
    finally:
        log.close()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        await task.close()


def _wait(make: Callable[[], Coroutine[Any, Any, Verdict]]) -> Verdict:
    """Run a coroutine to its end, also where an event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    box: list[Verdict | BaseException] = []

    def work() -> None:
        try:
            box.append(asyncio.run(make()))
        except BaseException as error:
            box.append(error)

    thread = threading.Thread(target=work, name="optimand")
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]
