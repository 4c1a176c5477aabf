"""Which pools, strategies and numbers of runs make up the small and the full benchmark."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.pick.pools import Pool
from benchmarks.pick.strategies import DEFAULT, Strategy, for_pool

__all__ = ["PLANS", "Cell", "Plan", "cells"]


@dataclass(frozen=True)
class Cell:
    """One pool played by one strategy: the unit of work."""

    pool: Pool
    strategy: Strategy
    delta: float
    runs: int
    horizon: int
    purpose: str
    seed: int


@dataclass(frozen=True)
class Plan:
    """Runs per cell, and where a run is cut off, in multiples of T* ln(1/delta).

    pools: names, or None for all. strategies: the same. reach: candidates x runs / 2, an upper
    limit that keeps large pools affordable. Our own strategies make four times as many runs.
    checks: runs at delta = 0.1 in which errors of our default are counted; slopes: runs at each
    smaller delta.
    """

    runs: int
    pools: tuple[str, ...] | None
    strategies: tuple[str, ...] | None
    cut: float
    reach: int
    checks: int
    slopes: int


SMALL_POOLS = ("K5 BT .4", "K10 BT .3", "K6 cyclic .60/.85", "K10 fresh ties", "K2 equal")
SMALL_STRATEGIES = (
    DEFAULT,
    "round robin",
    "epsilon-greedy",
    "Double Thompson",
    "RUCB",
    "RMED1",
    "top-two EB-TCI",
    "explore, then verify",
    "PLPAC",
    "LLM-PO, heuristic",
)
PLANS = {
    "small": Plan(50, SMALL_POOLS, SMALL_STRATEGIES, 6.0, 600, 100, 0),
    "full": Plan(100, None, None, 10.0, 1_000, 1_000, 100),
}

DELTA, CHECKED, DELTAS = 0.05, 0.1, (1e-2, 1e-3, 1e-4, 1e-6)
ENDLESS = 3_000  # comparisons after which a run on a pool without a winner is cut off
SLOW = ("top-two Thompson (pairs)", "LLM-PO, linear, heuristic", "round robin, linear, heuristic")


def cells(plan: Plan, pools: dict[str, Pool], seed: int) -> list[Cell]:
    """Everything to be played, the longest first where that is foreseeable."""
    out = []
    for pool in pools.values():
        if plan.pools is not None and pool.name not in plan.pools and pool.family != "real":
            continue
        for strategy in for_pool(pool, plan.strategies):
            if math.isfinite(pool.time):
                out.append(_compare(plan, pool, strategy, seed))
            if strategy.name == DEFAULT:
                out += _ours(plan, pool, strategy, seed)
    return sorted(out, key=lambda cell: -cell.pool.size)


def _compare(plan: Plan, pool: Pool, strategy: Strategy, seed: int) -> Cell:
    share = 4 if strategy.kind == "ours" else 1
    runs = min(share * plan.runs, max(10, 2 * share * plan.reach // pool.size))
    if strategy.name in SLOW or (share == 1 and pool.size >= 50):
        runs = max(10, runs // 4)
    return Cell(pool, strategy, DELTA, runs, _horizon(plan.cut, pool, DELTA), "compare", seed)


def _ours(plan: Plan, pool: Pool, strategy: Strategy, seed: int) -> list[Cell]:
    """Error counts at delta = 0.1, and how the length grows as delta falls."""
    checks = max(100, plan.checks // 5) if pool.size >= 50 else plan.checks
    horizon = _horizon(plan.cut, pool, CHECKED)
    out = [Cell(pool, strategy, CHECKED, checks, horizon, "errors", seed + 1)]
    if plan.slopes and pool.name in ("K5 BT .4", "K10 BT .3", "K6 cyclic .60/.85", "K10 hard gap"):
        for delta in DELTAS:
            horizon = _horizon(plan.cut, pool, delta)
            out.append(Cell(pool, strategy, delta, plan.slopes, horizon, "slope", seed))
    return out


def _horizon(cut: float, pool: Pool, delta: float) -> int:
    if math.isinf(pool.time):
        return ENDLESS
    return math.ceil(cut * pool.time * math.log(1.0 / delta))
