"""Evaluate proposals in stages, each cheaper than the next, with a gate after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evaluate, Evidence, Trial
from optimand.evaluation.gates import Gate, anything

__all__ = ["Stage", "cascade", "leaders", "validation"]

VALIDATION = 30
"""Examples of an endless validation split that every candidate is run on."""


@dataclass(frozen=True)
class Stage:
    """Run on the "batch", which are the evidence's examples, or on all of "val"; then the gate.

    keep: how many of those that pass go on, the best by this stage's scores; 0 for all.
    """

    split: str
    gate: Gate = anything
    keep: int = 0


def cascade(*stages: Stage) -> Evaluate:
    """Take each proposal through the stages until a gate stops it."""

    async def evaluate(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:
        for stage in stages:
            trials = await _stage(context, evidence, trials, stage)
        return trials

    return evaluate


def validation(examples: Sequence[Example]) -> tuple[Example, ...]:
    """The validation examples that every candidate is run on: all, or the first of endless ones."""
    return tuple(examples[:VALIDATION] if endless(examples) else examples)


async def _stage(
    context: Context, evidence: Evidence, trials: list[Trial], stage: Stage
) -> list[Trial]:
    going = {t.candidate.id: t.candidate for t in trials if t.accepted and t.candidate}
    if stage.split == "batch":
        examples = evidence.examples
    else:
        examples = validation(context.run.task.splits[stage.split])
    if not going or not examples:
        return trials
    done = await perform(context.run, Rollout(tuple(going.values()), examples))
    after = []
    for trial in trials:
        if trial.accepted and trial.candidate:
            rows = tuple(r for r in done.records if r.candidate == trial.candidate.id)
            trial = replace(trial, records={**trial.records, stage.split: rows})
            why = stage.gate(context, evidence, trial)
            trial = replace(trial, accepted=not why, why=why)
        after.append(trial)
    return leaders(after, stage.split, stage.keep) if stage.keep else after


def leaders(trials: list[Trial], split: str, count: int) -> list[Trial]:
    """The trials, of which the best `count` on `split` stay accepted; the earlier wins a tie."""
    going = [i for i, t in enumerate(trials) if t.accepted and t.candidate]
    ranked = sorted(going, key=lambda i: -trials[i].score(split))
    lost, why = set(ranked[count:]), f"not among the best {count} of its step on the {split}"
    return [replace(t, accepted=False, why=why) if i in lost else t for i, t in enumerate(trials)]
