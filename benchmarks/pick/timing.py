"""How long one decision takes when a single search runs, as in production."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.instances import bradley_terry
from benchmarks.pick.judging import coin
from benchmarks.pick.pools import Pool
from benchmarks.pick.strategies import DEFAULT, for_pool

__all__ = ["decision_times"]

SIZES, GAMES = (5, 10, 50, 100), 300
NAMES = (DEFAULT, "round robin", "Double Thompson", "RUCB", "RMED2", "explore, then verify")


def decision_times(names: tuple[str, ...] = NAMES, sizes: tuple[int, ...] = SIZES) -> str:
    """Mean milliseconds to choose a pair and to take its outcome in, by number of candidates."""
    head = " | ".join(f"K = {size}" for size in sizes)
    out = [f"| milliseconds per comparison | {head} |", f"|---|{'---|' * len(sizes)}"]
    for name in names:
        cells = [f"{1e3 * _seconds(name, size):.2f}" for size in sizes]
        out.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(out)


def _seconds(name: str, size: int) -> float:
    pool = Pool("timing", "Bradley-Terry", coin(bradley_terry(-0.1 * np.arange(size))))
    (strategy,) = for_pool(pool, (name,))
    player, rng = strategy.maker(pool, 1, 1e-9), np.random.default_rng(0)
    began = time.process_time()
    for _ in range(GAMES):
        a, b = player.choose(rng)
        player.update(a, b, (rng.random(1) < pool.judge.rates[a, b]).astype(float))
    return (time.process_time() - began) / GAMES
