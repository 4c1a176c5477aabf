"""Tracking: play pairs in the optimal proportions for the estimates so far (LLM-PO).

General space: the closed form of `lower_bound.beater_plan`. Bradley-Terry and linear spaces: the
regularised convex design of `design.fisher_design`, solved anew on a geometric clock.
Source: Hu, Gao, Hu & Zhou 2026 (arXiv:2604.08779); tracking rules of Garivier & Kaufmann 2016,
Section 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.design import fisher_design
from optimand.statistics.lower_bound import beater_plan

if TYPE_CHECKING:
    from optimand.statistics.duel import DuelState

__all__ = ["Tracking", "plug_in_plan"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Tracking:
    """A sampler that follows the plug-in optimal proportions.

    rule: "C" follows the sum of all plans so far, each mixed with a uniform floor, and is right
        also where the optimal plan is not unique; "D" follows the latest plan and plays a pair
        that has fallen behind sqrt(t) - M/2 of M pairs first.
    clock: a convex design is solved again when the number of games has grown by this factor (>= 1).
    """

    rule: Literal["C", "D"] = "C"
    clock: float = 1.1

    def __call__(self, state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Return the pair (a, b), each (R,), that is furthest behind its due share."""
        games = state.count + state.pending + state.pending.transpose(0, 2, 1)
        plan = self._plan(state)
        pairs = state.arms * (state.arms - 1) // 2
        due = self._summed(state, plan, pairs) if self.rule == "C" else state.issued * plan
        behind = due - games
        if self.rule == "D":
            starved = games < math.sqrt(state.issued) - pairs / 2
            behind = np.where(starved, 1e9 - games, behind)
        noise = 1e-9 * rng.random(games.shape)
        behind = np.where(np.tri(state.arms, dtype=bool), -np.inf, behind + noise)
        a, b = np.divmod(behind.reshape(len(games), -1).argmax(1), state.arms)
        return np.asarray(a), np.asarray(b)

    def _plan(self, state: DuelState) -> Floats:
        if state.options.space == "general":
            return plug_in_plan(state)
        plan, due = state.memo.get("plan"), state.memo.get("due")
        if plan is None or due is None or state.issued >= due[0]:
            plan = plug_in_plan(state)
            state.memo["plan"] = plan
            state.memo["due"] = np.full(len(plan), self.clock * state.issued)
        return np.asarray(plan, float)

    def _summed(self, state: DuelState, plan: Floats, pairs: int) -> Floats:
        floor = 0.5 / math.sqrt(pairs**2 + state.issued)
        mixed = np.maximum(plan, floor)
        mixed = mixed / (0.5 * mixed.sum((1, 2), keepdims=True))
        summed = np.asarray(state.memo.get("summed", np.zeros_like(plan)) + mixed, float)
        state.memo["summed"] = summed
        return summed


def plug_in_plan(state: DuelState) -> Floats:
    """Optimal proportions (R, K, K), symmetric with sum 1 over pairs, at the current estimates."""
    if state.options.space == "general":
        rates = (state.score + 0.5) / (state.count + 1.0)
        return beater_plan(rates, state.leader)[1]
    return fisher_design(state.model.theta, state.leader, state.options.features)[0]
