"""Race the proposals of a step on shared examples, and accept the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from optimand.core.action import Rollout
from optimand.core.example import Example
from optimand.core.loop import perform
from optimand.core.proposal import Context, Evaluate, Evidence, Runs, Trial
from optimand.evaluation.cascade import leaders
from optimand.queries.blocks import PASSED

__all__ = ["halved", "plain"]

SPLIT = "train"


async def _rolled(
    context: Context,
    evidence: Evidence,  # noqa: ARG001
    trials: list[Trial],
    examples: Sequence[Example],
) -> list[Trial]:
    """Run the accepted trials on `examples`; what ran before is not run again."""
    going = {t.candidate.id: t.candidate for t in trials if t.accepted and t.candidate}
    if not going:
        return list(trials)
    done = await perform(context.run, Rollout(tuple(going.values()), tuple(examples)))
    after = []
    for trial in trials:
        if trial.accepted and trial.candidate:
            rows = tuple(r for r in done.records if r.candidate == trial.candidate.id)
            trial = replace(trial, records={**trial.records, SPLIT: rows})
        after.append(trial)
    return after


plain: Runs = _rolled


def halved(most: int, runs: Runs = plain, finish: Runs = plain, *, race: bool = True) -> Evaluate:
    """Run on the first `most` training examples; the highest mean is accepted, the earlier of two.

    With `race` all run on 1 example, the better half on 2, its better half on 4, and so on up to
    `most`; ties with the last one kept are kept, unless they are perfect. Otherwise all run on the
    first, and then on all. Every step has the same examples, and no candidate runs on one twice.
    `finish` runs the winner once more, where it may be mended. Source: sequential halving, Karnin,
    Koren & Somekh 2013.
    """

    async def evaluate(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:
        examples = tuple(context.run.task.splits[SPLIT][:most])
        for count in _counts(len(examples), race):
            trials = await runs(context, evidence, trials, examples[:count])
            if race and count < len(examples):
                trials = _better_half(trials, count)
        best = leaders(_measured(trials), SPLIT, 1)
        return await finish(context, evidence, best, examples)

    return evaluate


def _counts(most: int, race: bool) -> list[int]:
    """On how many examples those left have run, after each stage."""
    counts = [2**stage for stage in range(most.bit_length()) if 2**stage < most]
    return [*(counts if race else counts[:1]), most]


def _better_half(trials: list[Trial], count: int) -> list[Trial]:
    """Those below the median stop here; one whose service failed has not lost.

    Of those that tie at the median all go on, since nothing tells them apart yet; but of perfect
    ones, which cannot be told apart upwards, only as many as make half.
    """
    going = {t.candidate.id: t.score(SPLIT) for t in trials if t.accepted and t.candidate}
    ranked = sorted((one for one in going if math.isfinite(going[one])), key=lambda i: -going[i])
    half = (len(ranked) + 1) // 2
    line = going[ranked[half - 1]] if ranked else -math.inf
    lost = {one for one in ranked[half:] if going[one] < line or line >= PASSED}
    why = f"not in the better half after {count} of the episodes"
    return [
        replace(t, accepted=False, why=why) if t.candidate and t.candidate.id in lost else t
        for t in trials
    ]


def _measured(trials: list[Trial]) -> list[Trial]:
    """Those that could not be run once, whatever the reason, are no winners."""
    return [
        replace(t, accepted=False, why="no episode could be run")
        if t.accepted and not math.isfinite(t.score(SPLIT))
        else t
        for t in trials
    ]
