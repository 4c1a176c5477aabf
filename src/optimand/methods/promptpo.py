"""PromptPO: a model writes policies as programs, and the best of each round leads to the next."""

from __future__ import annotations

from typing import Literal

from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.halving import halved, plain
from optimand.methods.registry import method
from optimand.operators.edit import edit
from optimand.operators.reflect import reflecting
from optimand.operators.repair import failure, repaired, trace_error
from optimand.operators.same_code import as_known
from optimand.queries.blocks import PASSED, about, limits
from optimand.queries.query import query
from optimand.queries.winners import Winner, best_of, past_winners, remember
from optimand.strategies.improve.written_once import written_once

__all__ = ["promptpo"]

TRIES = 3
"""How often a summary is asked for, and how often it is repaired."""


@method(
    "promptpo",
    source="PromptPO 2026, arXiv:2605.30719",
    final=lambda options: "train" if options["keep"] == "best" else "last",
)
def promptpo(
    problem: Problem,
    *,
    rounds: int = 10,
    width: int = 10,
    episodes: int = 5,
    repairs: int = 10,
    reflect: bool = True,
    keep: Literal["best", "last"] = "best",
    race: bool = True,
) -> Search:
    """Write policies from a description of the task, and learn from the winner of each round.

    An empty part `summary`, which describes episodes, is written first. In each round `width`
    policies are drawn from one prompt: the task, all winners so far with the return and summary of
    each episode, and a reflection on the last (`reflect`). One that crashes, runs out of time or
    breaks a rule is repaired, up to `repairs` times. The highest mean score over `episodes`
    training examples, the same for all, wins the round; with `race` the worse half stops after 1, 2
    and 4 of them. The result is the best winner, and the search ends at a perfect one; with
    `keep: last` it is the last. The start is not run before the certificate. The source's form is
    `keep: last` with `race: false`; there, episodes are drawn anew in each round, and code that
    differs in comments alone is run again.
    """
    texts = problem.surface.texts
    part = next((n for n in ("policy", *texts) if n in texts and n != "summary"), "")
    if not part:
        raise InputError("method 'promptpo' writes a policy: let a text part of that name change")
    won: list[Winner] = []
    base = query(task=about, limits=limits)
    look = query(task=about, limits=limits, attempts=past_winners(won, mark=keep == "best"))
    look = reflecting(look, won) if reflect else look
    write = as_known(edit("policy", temperature=1.0, name="promptpo"), part)
    finish, parent = plain, problem.memory.start
    if "summary" in texts:
        finish = repaired(plain, "summary", trace_error("summary_error"), base, TRIES, needed=False)
        parent = yield from written_once(parent, "summary", edit("summarise"), base, TRIES)
    score = halved(episodes, repaired(plain, part, failure, base, repairs), finish, race=race)
    for _ in range(rounds):
        step = yield Propose(write, (parent,), score, look, width, params={"parts": [part]})
        remember(won, step)
        parent = won[-1].candidate if won else parent
        if keep == "best" and won and best_of(won).mean >= PASSED:
            return
