"""Evaluate proposals in stages, each cheaper than the next, with a gate after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evaluate, Evidence, Trial
from optimand.evaluation.gates import Gate, anything

__all__ = ["Stage", "batch", "cascade", "on", "untested"]


@dataclass(frozen=True)
class Stage:
    """Run on `split` ("batch": the evidence's examples), its first `n` (None: all), then gate.

    `fresh` draws again what was already run (noisy scores): the step's number is the repeat.
    """

    split: str
    n: int | None = None
    gate: Gate = anything
    fresh: bool = False


def batch(gate: Gate = anything, *, fresh: bool = False) -> Stage:
    """The examples that the parents were run on."""
    return Stage("batch", None, gate, fresh)


def on(split: str = "val", gate: Gate = anything, n: int | None = None) -> Stage:
    """A whole split, or its first `n` examples."""
    return Stage(split, n, gate)


def cascade(*stages: Stage) -> Evaluate:
    """Take each proposal through the stages until a gate stops it."""

    async def evaluate(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:
        for stage in stages:
            trials = await _stage(context, evidence, trials, stage)
        return trials

    return evaluate


untested: Evaluate = cascade()
"""Keep every proposal without running it."""


async def _stage(
    context: Context, evidence: Evidence, trials: list[Trial], stage: Stage
) -> list[Trial]:
    going = {t.candidate.id: t.candidate for t in trials if t.accepted and t.candidate}
    examples = _examples(context, evidence, stage)
    if not going or not examples:
        return trials
    repeat = context.number if stage.fresh else 0
    done = await perform(context.run, Rollout(tuple(going.values()), tuple(examples), repeat))
    after = []
    for trial in trials:
        if trial.accepted and trial.candidate:
            rows = tuple(r for r in done.records if r.candidate == trial.candidate.id)
            trial = replace(trial, records={**trial.records, stage.split: rows})
            why = stage.gate(context, evidence, trial, stage.split)
            trial = replace(trial, accepted=not why, why=why)
        after.append(trial)
    return [_renamed(trial, evidence.split) for trial in after]


def _renamed(trial: Trial, split: str) -> Trial:
    """Records on the batch are records on its split too, under that name for the memory."""
    if not split or "batch" not in trial.records or split in trial.records:
        return trial
    return replace(trial, records={**trial.records, split: trial.records["batch"]})


def _examples(context: Context, evidence: Evidence, stage: Stage) -> Sequence[Example]:
    if stage.split == "batch":
        return evidence.examples
    examples = context.run.task.splits[stage.split]
    if endless(examples):
        return examples[: stage.n or VALIDATION]
    return examples[: stage.n] if stage.n else examples


VALIDATION = 30
"""Examples of an endless validation split that every candidate is run on."""
