"""Run a method as a strategy of the engine: one step at a time, everything kept in the memory."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from optimand.artifacts.surface import Surface
from optimand.core.action import Action, Outcome, Rollout, Steps
from optimand.core.artifact import Candidate
from optimand.core.errors import Stopped
from optimand.core.keys import seed_from
from optimand.core.proposal import Context, Evidence, Problem, Propose, Search, Step
from optimand.core.run import Run
from optimand.core.verdict import Standing, Verdict
from optimand.evaluation.cascade import validation
from optimand.memory.archive import Final, Memory, ranked_on
from optimand.strategies.improve.logged import note_candidates, note_step

__all__ = ["SearchStrategy"]

PERFECT = 1.0 - 1e-9
"""A mean score on "val" at which there is nothing left to gain."""
LISTED = 50


@dataclass(frozen=True)
class SearchStrategy:
    """A method with its options, as a strategy that fills `memory`; for one run.

    `search(problem, **options)` is the method. `final` says by which means the candidates are
    ranked, and which of them are its result (see Method).
    """

    name: str
    search: Callable[..., Search]
    options: Mapping[str, Any]
    surface: Surface
    memory: Memory
    final: Final = "val"
    ordered: bool = True

    def fingerprint(self) -> Any:
        """What makes a search another search."""
        return ["search", self.name, dict(self.options), self.surface.describe()]

    def __call__(self, run: Run) -> Steps:
        """One step after the other until the method ends; where "val" chooses, the start first."""
        memory, final = self.memory, self.final
        run.snapshot = lambda: _verdict(memory, final, "running", _so_far(memory, final))
        reason, detail = "finished", ""
        try:
            if ranked_on(final) == "val":
                shown = validation(run.task.splits["val"])
                scored = yield from _wait(Rollout((memory.start,), shown))
                memory.observe(scored.records, "val")
            search = self.search(Problem(memory, self.surface, run.task, run.seed), **self.options)
            propose = next(search, None)
            while propose is not None and memory.value(memory.best()) < PERFECT:
                work = SearchStep(propose, memory, self.surface, memory.steps)
                step: Step = (yield from _wait(work)).result
                memory.retain(step)
                propose = _next(search, step)
        except Stopped as stop:
            reason, detail = stop.reason, stop.detail
        return _verdict(memory, final, reason, detail)


@dataclass
class SearchStep:
    """One step as an action of the engine: query, propose, evaluate; the result is a Step."""

    propose: Propose
    memory: Memory
    surface: Surface
    number: int
    weight: int = 1

    async def perform(self, run: Run) -> Outcome:
        """See Work. What it finds is committed before the search sees it."""
        async with run.log.held():
            return Outcome(self, result=await self._step(run))

    async def _step(self, run: Run) -> Step:
        rng = random.Random(seed_from(run.seed, "step", self.number))
        action = self.propose
        context = Context(run, self.memory, self.surface, action, self.number, rng)
        evidence = Evidence(action.parents)
        if action.query is not None:
            evidence = await action.query(context)
        trials = await action.operator(context, evidence)
        await note_candidates(run, trials)
        step = Step(action, evidence, tuple(await action.evaluate(context, evidence, trials)))
        await note_candidates(run, step.trials)  # an evaluation may repair what it runs
        await note_step(run, self.number, step)
        return step


def _wait(action: Action) -> Generator[Action | None, Outcome | None, Outcome]:
    """Yield one action and nothing else until its outcome is there."""
    outcome = yield action
    while outcome is None:
        outcome = yield None
    return outcome


def _next(search: Search, step: Step) -> Propose | None:
    try:
        return search.send(step)
    except StopIteration:
        return None


def _so_far(memory: Memory, final: Final) -> str:
    """Where a search is, in words."""
    split = ranked_on(final)
    best = memory.best(split)
    value, start = memory.value(best, split), memory.value(memory.start, split)
    kept, dropped = len(memory.pool) - 1, len(memory.rejected)
    said = f"{memory.steps:,} steps, {kept:,} proposals kept, {dropped:,} not"
    if not math.isfinite(value):
        return said
    lead = f"best so far {best.name} with {value:.3f} on {split}"
    lead += f", start {start:.3f}" if math.isfinite(start) else ""
    return f"{lead}; {said}"


def _verdict(memory: Memory, final: Final, reason: str, detail: str = "") -> Verdict:
    """What the search has found: candidates with the scores it saw, which prove nothing."""
    split = ranked_on(final)
    best = (memory.finalists(1, final) or [memory.start])[0]
    ranked = [best, *(c for c in memory.top(LISTED, split) if c.id != best.id)][:LISTED]
    standings = tuple(_standing(memory, c, rank, split) for rank, c in enumerate(ranked, 1))
    return Verdict(
        False,
        best.id,
        reason,
        detail,
        0.0,
        standings,
        unit="rollouts",
        used=memory.runs,
        failures=memory.failed.to_json(),
    )


def _standing(memory: Memory, candidate: Candidate, rank: int, split: str) -> Standing:
    value, runs = memory.value(candidate, split), len(memory.records(candidate, split))
    estimate = value if math.isfinite(value) else 0.0
    return Standing(candidate.id, rank, estimate, 0.0, 1.0, runs, 0.0, True)
