"""Tables of scores with a known best candidate: wins, grades, rare disasters, shared difficulty."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["WORLDS", "Tables", "World"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = Literal["binary", "graded", "rare disasters", "rare successes"]


@dataclass(frozen=True)
class Tables:
    """Scores (R, N, K) in [0, 1] of R replications and the true mean (R, K) of each candidate.

    whole: the N examples are all that matters, so their means are the truth; else they are a
    sample, and a replication that has used them all is cut off.
    """

    scores: Floats
    truth: Floats
    whole: bool

    def wrong(self, answer: Ints) -> NDArray[np.bool_]:
        """Whether an answer (R,) is truly worse than the best, or not the first of equals."""
        rows = np.arange(len(answer))
        equal = (self.truth == self.truth[:, :1]).all(1) & (not self.whole)
        worse = self.truth[rows, answer] < self.truth.max(1) - 1e-12
        return np.where(equal, answer != 0, worse)


@dataclass(frozen=True)
class World:
    """Means (K,), best first; shared: share of examples on which all see the same luck."""

    name: str
    kind: Kind
    means: tuple[float, ...]
    examples: int
    whole: bool
    shared: float = 0.0

    def draw(self, reps: int, seed: int) -> Tables:
        """R tables; the same for every method."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        shape = (reps, self.examples, len(self.means))
        own, common = rng.random(shape), rng.random((*shape[:2], 1))
        luck = np.where(rng.random((*shape[:2], 1)) < self.shared, common, own)
        scores = _score(self.kind, luck, np.array(self.means))
        truth = scores.mean(1) if self.whole else np.tile(self.means, (reps, 1))
        return Tables(scores, truth, self.whole)


def _score(kind: Kind, luck: Floats, means: Floats) -> Floats:
    """Scores with these means for uniform luck."""
    if kind == "graded":
        return np.clip(means + 0.4 * (luck - 0.5), 0.0, 1.0)
    if kind == "rare disasters":  # 0.9 almost always, else 0
        return 0.9 * (luck < means / 0.9)
    if kind == "rare successes":  # mostly 0; a skewed grade when not
        return np.where(luck < 2.0 * means, 1.0 - luck / (2.0 * means), 0.0)
    return (luck < means).astype(float)


def _both(name: str, kind: Kind, means: tuple[float, ...], shared: float = 0.0) -> list[World]:
    """The same means as a sample of up to 4,000 and as a population of 400."""
    return [
        World(f"{name}, fresh examples", kind, means, 4_000, False, shared),
        World(f"{name}, all 400 examples", kind, means, 400, True, shared),
    ]


WORLDS: tuple[World, ...] = (
    *_both("binary, 6 apart", "binary", (0.75, 0.65, 0.62, 0.60, 0.55, 0.45)),
    *_both("binary, shared luck", "binary", (0.75, 0.70, 0.67, 0.65, 0.60, 0.50), 0.7),
    *_both("binary, 12, two close", "binary", (0.80, 0.75, *np.linspace(0.66, 0.45, 10).tolist())),
    *_both("graded, 6", "graded", (0.65, 0.62, 0.60, 0.60, 0.55, 0.50)),
    *_both("rare disasters, 5", "rare disasters", (0.88, 0.85, 0.84, 0.80, 0.75)),
    *_both("rare successes, 4", "rare successes", (0.12, 0.07, 0.06, 0.05)),
    World("5 equals, fresh examples", "binary", (0.6,) * 5, 1_000, False),
)
