"""An epsilon-net over candidates: near-duplicates of what is kept are dropped unrun."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context, Evidence, Operator, Trial

__all__ = ["bag_distance", "epsilon_net"]

WORD = re.compile(r"\w+")
Words = Mapping[str, int]


def bag_distance(one: Words, other: Words) -> float:
    """Distance of two texts, as counts of words: 0 for the same counts, sqrt(2) for no word shared.

    The Euclidean distance of the count vectors at length 1, which is sqrt(2 (1 - cosine)).
    """
    if not one or not other:
        return 0.0 if not one and not other else math.sqrt(2.0)
    if one == other:
        return 0.0
    shared = sum(count * other.get(word, 0) for word, count in one.items())
    cosine = shared / math.sqrt(_square(one) * _square(other))
    return math.sqrt(max(0.0, 2.0 - 2.0 * cosine))


def epsilon_net(operator: Operator, epsilon: float) -> Operator:
    """Keep proposals farther than `epsilon` from all that is kept, the farthest first.

    The accepted candidates and what is admitted before count as kept, so that any two of them are
    farther apart than epsilon. Candidates that differ in a setting are never near.
    Source: POLCA, arXiv:2603.14769, with counts of words in place of embeddings.
    """

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        trials = await operator(context, evidence)
        kept = [_place(context, c) for c in context.memory.pool.values()]
        fresh = {
            i: _place(context, trial.candidate)
            for i, trial in enumerate(trials)
            if trial.accepted and trial.candidate
        }
        admitted = _farthest_first(fresh, kept, epsilon)
        return [
            replace(trial, accepted=False, why="too near to what is kept")
            if i in fresh and i not in admitted
            else trial
            for i, trial in enumerate(trials)
        ]

    return carry_out


Place = tuple[Words, tuple[Any, ...]]


def _farthest_first(fresh: Mapping[int, Place], kept: list[Place], epsilon: float) -> set[int]:
    admitted: set[int] = set()
    gaps = {i: min(_gap(place, other) for other in kept) for i, place in fresh.items()}
    while gaps:
        farthest = max(gaps, key=lambda i: (gaps[i], -i))
        if gaps.pop(farthest) <= epsilon:
            break
        admitted.add(farthest)
        gaps = {i: min(gap, _gap(fresh[i], fresh[farthest])) for i, gap in gaps.items()}
    return admitted


def _place(context: Context, candidate: Candidate) -> Place:
    surface = context.surface
    values = surface.current(candidate.artifact)
    texts = " ".join(str(values[name]) for name in surface.texts)
    return Counter(WORD.findall(texts.lower())), tuple(repr(values[n]) for n in surface.settings)


def _gap(one: Place, other: Place) -> float:
    return bag_distance(one[0], other[0]) if one[1] == other[1] else math.inf


def _square(words: Words) -> int:
    return sum(count * count for count in words.values())
