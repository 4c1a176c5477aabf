"""The verb `pick`: the best of K candidates by adaptive evaluation, with a guarantee."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from optimand.core.action import Observer, Strategy
from optimand.core.arguments import check_arguments
from optimand.core.artifact import Artifact, Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.identity import study_settings
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.pool import DaemonPool
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store
from optimand.core.task import Task
from optimand.core.usercode import shown
from optimand.core.verdict import Verdict
from optimand.core.waiting import wait_for
from optimand.provenance import example_events, session, stopping_line
from optimand.result import PickResult
from optimand.storage.memory import MemoryStore
from optimand.storage.opening import opened

__all__ = ["pick", "study_name"]


def pick(  # noqa: PLR0913 -- every option of the verb is named
    candidates: Sequence[Any] | Mapping[str, Any],
    task: Task,
    *,
    confidence: float = 0.95,
    baseline: str | None = None,
    budget: Budget | None = None,
    store: Store | str | Path | None = None,
    strategy: Strategy | None = None,
    seed: int = 0,
    observe: Observer | None = None,
) -> PickResult:
    """Find the best of `candidates` on `task`, and stop as soon as the answer is safe.

    candidates: policies, Candidates, or plain values for a function task; two or more, in a list,
        or in a mapping from their names.
    confidence: probability in (0, 1) that a decided answer is truly best.
    baseline: name of the candidate that is kept unless another is proven better: an undecided run
        then names the strongest one proven better, else the baseline; the probability that it
        names one that is truly worse is at most 1 - confidence.
    budget: limits; when one is reached the result is undecided, with the best so far.
    store: a Store, or a path or URL (see storage.connect); the same call again resumes and
        repeats no paid call. Without one, nothing outlives the process.
    strategy: default is a race where the task gives scores, duels where its judge compares.
    Raises InputError for what can be seen to be wrong before anything is spent.
    Works inside a running event loop (a notebook) too.
    """
    check_arguments(task, confidence, seed, budget, strategy)
    entries = _candidates(candidates, task)
    rule = _rule(strategy, entries, task, confidence, baseline)
    name, settings = _identity(entries, task, confidence, rule, seed)
    ledger = Ledger(budget)
    about = session(task, entries, rule, budget)
    place = MemoryStore() if store is None or store == "memory:" else store
    with opened(place, name, settings) as journal:
        verdict = wait_for(
            lambda: _carry_out(entries, task, journal, ledger, rule, seed, observe, about)
        )
    known, line = {c.id: c for c in entries}, stopping_line(rule, len(entries))
    return PickResult(verdict, known, confidence, ledger.spent(), name, place, line)


def study_name(
    candidates: Sequence[Any] | Mapping[str, Any],
    task: Task,
    *,
    confidence: float = 0.95,
    baseline: str | None = None,
    strategy: Strategy | None = None,
    seed: int = 0,
) -> str:
    """The name under which `pick` keeps a study with these arguments."""
    check_arguments(task, confidence, seed, strategy=strategy)
    entries = _candidates(candidates, task)
    rule = _rule(strategy, entries, task, confidence, baseline)
    return _identity(entries, task, confidence, rule, seed)[0]


def _rule(
    given: Strategy | None,
    entries: Sequence[Candidate],
    task: Task,
    confidence: float,
    baseline: str | None,
) -> Strategy:
    from optimand.strategies.pick.specs import strategy_from, with_baseline

    pairs = task.judge is not None and task.judge.kind == "pair"
    names = [c.name for c in entries]
    rule = given or strategy_from(None, names, pairs=pairs, delta=1.0 - confidence)
    return with_baseline(rule, baseline, entries)


def _identity(
    entries: Sequence[Candidate], task: Task, confidence: float, rule: Strategy, seed: int
) -> tuple[str, dict[str, Any]]:
    settings = study_settings(entries, task, confidence, rule, seed)
    return f"{task.name}-{content_hash(settings)[:8]}", settings


def _candidates(given: Sequence[Any] | Mapping[str, Any], task: Task) -> list[Candidate]:
    if not isinstance(given, Iterable):
        raise InputError(f"candidates are {shown(given)}: give a list of them")
    if isinstance(given, Mapping):
        entries = [
            _named(_candidate(value, i), name) for i, (name, value) in enumerate(given.items())
        ]
    else:
        entries = [_candidate(value, i) for i, value in enumerate(given)]
    if len(entries) < 2:
        raise InputError(f"{len(entries)} candidate(s) given: picking needs at least 2")
    seen: dict[str, str] = {}
    for entry in entries:
        try:
            entry.id  # noqa: B018
        except InputError as error:
            raise InputError(f"candidate {entry.name!r}: {error}") from None
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
    return Candidate(Artifact({"value": value}), value if isinstance(value, str) else shown(value))


def _named(entry: Candidate, name: Any) -> Candidate:
    if not isinstance(name, str):
        raise InputError(f"candidates have the name {shown(name)}: names must be text")
    return Candidate(entry.artifact, name)


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
    pool = DaemonPool(task.width) if task.width > 1 else None
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
