"""LLM-PO: Hu, Gao, Hu & Zhou 2026 (arXiv:2604.08779), from the product's own implementation.

Tracking of the plug-in optimal proportions with the generalised likelihood ratio as the paper's
stopping rule, under three thresholds, or with our stopping rule.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.pick.peers.common import duel
from benchmarks.pick.play import Player
from benchmarks.pick.pools import Pool
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.statistics.glr import Glr, Threshold
from optimand.statistics.tracking import Tracking, plug_in_plan

__all__ = ["llm_po", "ratio_tracking"]

Ints = NDArray[np.int64]


def llm_po(
    threshold: Threshold | None, space: str = "general"
) -> Callable[[Pool, int, float], Player]:
    """D-tracking, the rule of the paper; threshold None stops on our evidence instead."""
    stopper = betting_stop if threshold is None else Glr(threshold)
    return duel(Tracking("D"), stopper, space=space)


def ratio_tracking(state: DuelState, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The pair whose games are the smallest multiple of its share, without forced exploration."""
    games = state.count + state.pending + state.pending.transpose(0, 2, 1)
    key = plug_in_plan(state) / np.maximum(games, 0.5) + 1e-12 * rng.random(games.shape)
    key = np.where(np.tri(state.arms, dtype=bool), -np.inf, key)
    a, b = np.divmod(key.reshape(len(games), -1).argmax(1), state.arms)
    return np.asarray(a), np.asarray(b)
