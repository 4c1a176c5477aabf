"""SPRIG: a beam search over prompt components."""

from __future__ import annotations

import math
from collections.abc import Sequence

from optimand.core.artifact import Candidate
from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Propose, Search, Step, Trial
from optimand.evaluation.cascade import Stage, cascade
from optimand.memory.rewards import Rewards
from optimand.methods.registry import method
from optimand.operators.components import corpus, edit_components
from optimand.queries.query import query

__all__ = ["sprig"]


@method("sprig", source="Zhang et al. 2024, arXiv:2410.14826", roles=(), optional=("proposer",))
def sprig(  # noqa: PLR0913
    problem: Problem,
    *,
    components: Sequence[str] = (),
    steps: int = 25,
    beam: int = 10,
    top: int = 60,
    paraphrases: int = 10,
    sample: int = 30,
    most: int = 100,
    explore: float = 1.0,
    between: str = " ",
) -> Search:
    """Build a prompt out of ready-made components; no model is needed as proposer.

    The first text that may change stays as it is, and components follow it, with `between` in
    between. `components` are your own list, or a general one that comes along. From each prompt in
    the beam: add one of the `top` components of highest upper confidence bound at any place, delete
    one, exchange two, and, with a proposer, put one in other words (`paraphrases` draws of each).
    At most `most` of these edits are tried in a step (0: all, as in the source), the kinds taking
    turns. All are scored on one fresh sample of `sample` training examples. What an addition gains
    over its parent, or a deletion loses, is the component's reward; paraphrases count as their
    source. The `beam` best of the new prompts, and no parents, are scored on "val" and are the next
    beam. Unlike in the source, parents are run on the same sample; nothing is added twice;
    `explore` scales the bound's width.
    """
    if not problem.surface.texts:
        raise InputError("method 'sprig' edits a text: name one that may change")
    start, part, rng = problem.memory.start, problem.surface.texts[0], problem.rng("sprig")
    names, rewards = tuple(dict.fromkeys(components or corpus())), Rewards()
    fixed = {"part": part, "base": problem.surface.current(start.artifact)[part]}
    fixed |= {"between": between, "most": most, "paraphrases": paraphrases}
    look = query("train", sample)
    screen = cascade(Stage("batch", keep=beam), Stage("val"))
    sequences: dict[str, tuple[str, ...]] = {start.id: ()}
    sources = {name: name for name in names}
    parents: tuple[Candidate, ...] = (start,)
    for _ in range(steps):
        adding = rewards.ranked(rng.sample(names, len(names)), explore)[:top]
        params = {**fixed, "sequences": sequences, "adding": adding}
        step = yield Propose(edit_components, parents, screen, look, params=params)
        for trial in step.trials:
            if trial.candidate is not None:
                sequences[trial.candidate.id] = trial.meta["edit"].sequence
                _learn(trial, step, rewards, sources)
        parents = step.accepted or parents


def _learn(trial: Trial, step: Step, rewards: Rewards, sources: dict[str, str]) -> None:
    """Credit the component that an edit added or took away; note whose words a paraphrase has."""
    edit = trial.meta["edit"]
    source = sources.get(edit.component, edit.component)
    if edit.kind == "paraphrase":
        sources.setdefault(trial.meta["wording"], source)
    sign = {"add": 1.0, "delete": -1.0}.get(edit.kind, 0.0)
    before = Trial(edit.parent, records={"batch": step.evidence.of(edit.parent)}).score("batch")
    gain = trial.score("batch") - before
    if sign and math.isfinite(gain):
        rewards.add(source, sign * gain)
