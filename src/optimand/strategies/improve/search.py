"""Run a method as a strategy of the engine: one step at a time, everything kept in the memory."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from optimand.core.action import Outcome, Rollout, Steps
from optimand.core.artifact import Candidate
from optimand.core.errors import Stopped
from optimand.core.example import endless
from optimand.core.keys import content_hash, seed_from
from optimand.core.proposal import Context, Evidence, Problem, Propose, Search, Step, Trial
from optimand.core.run import Run
from optimand.core.store import Event
from optimand.core.verdict import Standing, Verdict
from optimand.evaluation.cascade import VALIDATION, untested
from optimand.memory.archive import Memory

__all__ = ["SearchStrategy", "Work", "finalists"]

PERFECT = 1.0 - 1e-9
"""A mean score on "val" at which there is nothing left to gain."""


async def note_candidates(run: Run, trials: Sequence[Trial]) -> None:
    """Log what was proposed, once, so that lineage and parts can be read without the run."""
    fresh = {}
    for trial in trials:
        one = trial.candidate
        if one is not None and run.log.find(key := content_hash("candidate", one.id)) is None:
            body: dict[str, Any] = {"id": one.id, "name": one.name, "parents": list(one.parents)}
            body |= {"operator": one.operator, "parts": dict(one.artifact.parts)}
            fresh[key] = Event("candidate", body, key, run.ledger.seconds)
    if fresh:
        await run.log.write(list(fresh.values()))


async def note_step(run: Run, number: int, step: Step) -> None:
    """Log what became of a step's proposals, once."""
    key = content_hash("step", number)
    if run.log.find(key) is None:
        trials = [
            {
                "candidate": t.candidate.id if t.candidate else None,
                "accepted": t.accepted,
                "why": t.why,
                "scores": {s: t.score(s) for s in t.records if math.isfinite(t.score(s))},
            }
            for t in step.trials
        ]
        body = {"number": number, "parents": [p.id for p in step.action.parents], "trials": trials}
        spent = run.ledger.spent()
        await run.log.write([Event("step", {**body, "spent": spent}, key, run.ledger.seconds)])


@dataclass
class Work:
    """One step as an action of the engine: query, propose, evaluate."""

    propose: Propose
    memory: Memory
    surface: Any
    number: int
    weight: int = 1

    async def perform(self, run: Run) -> Outcome:
        """Carry it out; the result is a Step."""
        rng = random.Random(seed_from(run.seed, "step", self.number))
        action = self.propose
        context = Context(run, self.memory, self.surface, action, self.number, rng)
        evidence = Evidence(action.parents)
        if action.query is not None:
            evidence = await action.query(context)
        trials = await action.operator(context, evidence)
        await note_candidates(run, trials)
        trials = await (action.evaluate or untested)(context, evidence, trials)
        step = Step(action, evidence, tuple(trials))
        await note_step(run, self.number, step)
        return Outcome(self, result=step)


@dataclass(frozen=True)
class SearchStrategy:
    """A method with its options, as a strategy.

    `search(problem, **options)` is the method. `final`: the split whose mean
    names the best, or "last". `goes_on`: do not stop at the highest possible score. `keep`: told
    the memory before the first step, for whoever reads it afterwards.
    """

    name: str
    search: Callable[..., Search] = field(compare=False)
    options: Mapping[str, Any]
    surface: Any = field(compare=False)
    final: str = "val"
    goes_on: bool = False
    keep: Callable[[Memory], None] | None = field(default=None, compare=False)
    ordered: bool = True

    def fingerprint(self) -> Any:
        """What makes a search another search."""
        return ["search", self.name, dict(self.options), self.surface.describe(), self.final]

    def __call__(self, run: Run) -> Steps:
        """Score the start on "val", then one step after the other until the method ends."""
        memory = Memory(run.candidates[0])
        if self.keep is not None:
            self.keep(memory)
        run.snapshot = lambda: verdict(memory, self.final, "running")
        reason, detail = "finished", ""
        try:
            yield from self._seeds(run, memory)
            problem = Problem(memory, self.surface, run.task, run.seed)
            search = self.search(problem, **self.options)
            step: Step | None = None
            while self.goes_on or memory.value(memory.best()) < PERFECT:
                try:
                    propose = search.send(step)  # type: ignore[arg-type]
                except StopIteration:
                    break
                step = yield from self._step(propose, memory)
        except Stopped as stop:
            reason, detail = stop.reason, stop.detail
        return verdict(memory, self.final, reason, detail)

    def _seeds(self, run: Run, memory: Memory) -> Any:
        examples = run.task.splits.get("val", ())
        if not examples:
            return
        shown = tuple(examples[:VALIDATION] if endless(examples) else examples)
        outcome = yield from _wait(Rollout((memory.start,), shown))
        memory.observe(outcome.records, "val")

    def _step(self, propose: Propose, memory: Memory) -> Any:
        work = Work(propose, memory, self.surface, len(memory.steps))
        outcome = yield from _wait(work)
        memory.retain(outcome.result)
        return outcome.result


def _wait(action: Any) -> Any:
    """Yield one action and nothing else until its outcome is there."""
    outcome = yield action
    while outcome is None:
        outcome = yield None
    return outcome


def finalists(memory: Memory, final: str, count: int) -> list[Candidate]:
    """The search's best candidates other than the start, best first."""
    if final == "last":
        ranked = list(reversed(memory.pool.values()))
    else:
        ranked = memory.top(len(memory.pool), final)
    return [c for c in ranked if c.id != memory.start.id][:count]


def verdict(memory: Memory, final: str, reason: str, detail: str = "") -> Verdict:
    """What the search has found: candidates with the scores it saw, which prove nothing."""
    split = "val" if final == "last" else final
    ranked = finalists(memory, final, len(memory.pool)) or [memory.start]
    if final != "last" and memory.start.id not in {c.id for c in ranked}:
        ranked = memory.top(len(memory.pool), split)
    standings = tuple(_standing(memory, c, rank, split) for rank, c in enumerate(ranked[:50], 1))
    used = sum(len(memory.records(c, s)) for c in memory.known.values() for s in ("train", "val"))
    return Verdict(False, ranked[0].id, reason, detail, 0.0, standings, unit="rollouts", used=used)


def _standing(memory: Memory, candidate: Candidate, rank: int, split: str) -> Standing:
    value = memory.value(candidate, split)
    estimate = value if math.isfinite(value) else 0.0
    runs = len(memory.records(candidate, split))
    return Standing(candidate.id, rank, estimate, 0.0, 1.0, runs, 0.0, True)
