"""Peers written as a conversation: yield a pair, receive its score, return the answer."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
from benchmarks.pick.play import Player
from benchmarks.pick.pools import Pool
from numpy.typing import ArrayLike, NDArray

__all__ = ["Script", "scripted"]

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

Script = Generator[tuple[int, int], float, int]
Writer = Callable[[int, float, np.random.Generator], Script]


class _Scripted:
    """R conversations side by side; each is asked for its next pair as soon as it is told."""

    def __init__(self, size: int, reps: int, delta: float, writer: Writer) -> None:
        # Every replication has its own stream, so that it does not depend on who else still runs.
        self.scripts = [writer(size, delta, np.random.default_rng(r)) for r in range(reps)]
        self.pairs = [next(script) for script in self.scripts]
        self.done: Bools = np.zeros(reps, bool)
        self.answer: Ints = np.full(reps, -1)

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        del rng
        a, b = np.array(self.pairs).T
        return a, b

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None:
        del a, b
        for r, score in enumerate(np.asarray(y, float)):
            try:
                self.pairs[r] = self.scripts[r].send(float(score))
            except StopIteration as stop:
                self.done[r], self.answer[r] = True, stop.value

    def select(self, keep: Bools) -> None:
        self.scripts = [s for s, kept in zip(self.scripts, keep, strict=True) if kept]
        self.pairs = [p for p, kept in zip(self.pairs, keep, strict=True) if kept]
        self.done, self.answer = self.done[keep], self.answer[keep]


def scripted(writer: Writer) -> Callable[[Pool, int, float], Player]:
    """A strategy that runs one conversation for each replication."""
    return lambda pool, reps, delta: _Scripted(pool.size, reps, delta, writer)
