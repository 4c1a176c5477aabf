"""The verb `pick`: the best of K candidates by adaptive evaluation, with a guarantee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from optimand.core.action import Observer, Strategy
from optimand.core.arguments import check_arguments
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.identity import study_settings
from optimand.core.keys import content_hash
from optimand.core.ledger import Ledger
from optimand.core.loop import drive
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store
from optimand.core.task import Task
from optimand.core.verdict import Verdict
from optimand.core.waiting import wait_for
from optimand.core.working import working
from optimand.entries import entries_of, rule_for
from optimand.provenance import example_events, session, stopping_line
from optimand.result import PickResult
from optimand.storage.opening import opened, place_of
from optimand.strategies.pick.earlier import begun_from, left_by, seed_of, warmed, with_origin

__all__ = ["pick", "study_name"]


def pick(  # noqa: PLR0913 -- every option of the verb is named
    candidates: Sequence[Any] | Mapping[str, Any],
    task: Task,
    *,
    confidence: float = 0.95,
    baseline: str | None = None,
    budget: Budget | None = None,
    store: Store | str | Path | None = None,
    strategy: Strategy | str | Mapping[str, Any] | None = None,
    seed: int = 0,
    observe: Observer | None = None,
    warm_start: PickResult | tuple[Store | str | Path, str] | None = None,
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
    strategy: default is a race where the task gives scores, duels where its judge compares. A name
        or a mapping as in a study file, such as {"type": "halving", "rollouts": 500}, or a
        strategy of your own.
    warm_start: an earlier result, or (store, study), to go on from: its evidence counts where all
        of its candidates are here, and the examples it used are left out. With the same
        confidence, the answer is wrong with probability at most 1 - confidence over both studies.
    Raises InputError for what can be seen to be wrong before anything is spent.
    Works inside a running event loop (a notebook) too.
    """
    check_arguments(task, confidence, seed, budget, strategy)
    entries = entries_of(candidates, task)
    rule = rule_for(strategy, entries, task, confidence, baseline)
    settings = study_settings(entries, task, confidence, rule, seed)
    rule = warmed(rule, warm_start, store, settings, entries, task)
    name, settings = _identity(task, settings, rule)
    ledger = Ledger(budget)
    about = session(task, entries, rule, budget)
    place = place_of(store)
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
    strategy: Strategy | str | Mapping[str, Any] | None = None,
    seed: int = 0,
    warm_start: PickResult | tuple[Store | str | Path, str] | None = None,
    store: Store | str | Path | None = None,
) -> str:
    """The name under which `pick` keeps a study with these arguments."""
    check_arguments(task, confidence, seed, strategy=strategy)
    entries = entries_of(candidates, task)
    rule = rule_for(strategy, entries, task, confidence, baseline)
    settings = study_settings(entries, task, confidence, rule, seed)
    return _identity(task, settings, warmed(rule, warm_start, store, settings, entries, task))[0]


def _identity(
    task: Task, settings: Mapping[str, Any], rule: Strategy
) -> tuple[str, dict[str, Any]]:
    found = with_origin(settings, rule)
    return f"{task.name}-{content_hash(found)[:8]}", found


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
    async with working(task, journal, ledger) as (log, pool):
        begun = Event("session", about, at=ledger.seconds)
        known = log.history
        await log.write([begun, *begun_from(rule, known), *example_events(task, known)])
        run = Run(task, entries, log, ledger, seed=seed_of(rule, seed), pool=pool)
        verdict = await drive(run, rule, observe)
        ended = Event("verdict", verdict.to_json(), at=ledger.seconds)
        await log.write([ended, *left_by(run, verdict)])
        return verdict
