"""The verb `pick`: the best of K candidates by adaptive evaluation, with a guarantee."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
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
from optimand.provenance import example_events, session
from optimand.result import PickResult
from optimand.storage.memory import MemoryStore

__all__ = ["pick", "study_name"]


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
    store: a Store, or a path or URL (see storage.connect); the same call again resumes and
        repeats no paid call. Without one, nothing outlives the process.
    strategy: default is a race where the task gives scores, duels where its judge compares.
    Raises InputError for what can be seen to be wrong before anything is spent.
    Works inside a running event loop (a notebook) too.
    """
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}: it must lie strictly between 0 and 1")
    entries = _candidates(candidates, task)
    rule = strategy or _default(entries, task, confidence)
    name, settings = _identity(entries, task, confidence, rule, seed)
    ledger = Ledger(budget)
    about = session(task, entries, rule, budget)
    place = MemoryStore() if store is None or store == "memory:" else store
    with _open(place, name, settings) as journal:
        verdict = _wait(
            lambda: _carry_out(entries, task, journal, ledger, rule, seed, observe, about)
        )
    return PickResult(verdict, {c.id: c for c in entries}, confidence, ledger.spent(), name, place)


def study_name(
    candidates: Sequence[Any],
    task: Task,
    *,
    confidence: float = 0.95,
    strategy: Strategy | None = None,
    seed: int = 0,
) -> str:
    """The name under which `pick` keeps a study with these arguments."""
    entries = _candidates(candidates, task)
    rule = strategy or _default(entries, task, confidence)
    return _identity(entries, task, confidence, rule, seed)[0]


def _default(entries: Sequence[Candidate], task: Task, confidence: float) -> Strategy:
    from optimand.strategies.pick.specs import strategy_from

    pairs = task.judge is not None and task.judge.kind == "pair"
    return strategy_from(None, [c.name for c in entries], pairs=pairs, delta=1.0 - confidence)


def _identity(
    entries: Sequence[Candidate], task: Task, confidence: float, rule: Strategy, seed: int
) -> tuple[str, dict[str, Any]]:
    """A study's name and settings. The name is made of them: a new entry would be a new study."""
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
    return f"{task.name}-{content_hash(settings)[:8]}", settings


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


@contextmanager
def _open(store: Store | str | Path, name: str, settings: Mapping[str, Any]) -> Iterator[Journal]:
    """The study's journal, closed at the end together with a store that was opened for it."""
    place = store
    if isinstance(place, str | Path):
        from optimand.storage.connect import connect

        place = connect(place)
    try:
        with closing(place.write(name, settings)) as journal:
            yield journal
    finally:
        if place is not store:
            place.close()


async def _carry_out(
    entries: list[Candidate],
    task: Task,
    journal: Journal,
    ledger: Ledger,
    rule: Strategy,
    seed: int,
    observe: Observer | None,
    about: Mapping[str, Any],
) -> Verdict:
    pool = ThreadPoolExecutor(task.width) if task.width > 1 else None
    log = Log(journal, gather=task.width > 1)
    ledger.resume_at(log.elapsed)
    try:
        begun = Event("session", about, at=ledger.seconds)
        await log.write([begun, *example_events(task, log.history)])
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
