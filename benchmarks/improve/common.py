"""The task, the proposer's rule and the measurements that both sides share; nothing but Python.

A text is a list of words; 12 of them count. `told`: an example passes when its word is there, and
the feedback names it. `noisy`: every example scores the share of the words that are there, less
0.04 for each other word, with normal noise of deviation 0.2, clipped to [0, 1]; the feedback says
nothing, so proposals are a random walk that gets worse as often as better.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["NOISE", "SIZE", "WORDS", "Outcome", "Watch", "feedback", "mutate", "quality", "score"]

WORDS = [f"t{i}" for i in range(12)]
JUNK = [f"junk{i}" for i in range(12)]
NOISE = 0.2
SIZE = 30
"""Validation examples, and as many to learn from."""


@dataclass(frozen=True)
class Outcome:
    """What one run gave. reached: executions until the perfect text had been run on all of the
    validation examples, 0 if never. truth: true quality of what is called best; claimed: the score
    it is reported with. calls: executions in all. steps: proposals. seconds: of the processor.
    """

    reached: int
    truth: float
    claimed: float
    calls: int
    steps: int
    seconds: float


def quality(text: str, noisy: bool) -> float:
    """The true mean score of a text."""
    have = set(text.split())
    share = sum(word in have for word in WORDS) / len(WORDS)
    if not noisy:
        return share
    extra = len(have - set(WORDS) - {"start"})
    return min(1.0, max(0.0, 0.2 + 0.6 * share - 0.04 * extra))


def score(text: str, example: int, noisy: bool, rng: random.Random) -> float:
    """One score."""
    if not noisy:
        return float(WORDS[example % len(WORDS)] in text.split())
    return min(1.0, max(0.0, quality(text, noisy=True) + rng.gauss(0.0, NOISE)))


def feedback(text: str, example: int, noisy: bool) -> str:
    """What is said about one score."""
    word = WORDS[example % len(WORDS)]
    return "" if noisy or word in text.split() else f"missing {word}"


def mutate(text: str, missing: Sequence[str], rng: random.Random) -> str:
    """The proposer's rule: add a word that was named, else change the text at random."""
    words = text.split()
    if missing:
        return " ".join([*words, rng.choice(list(missing)) if rng.random() < 0.8 else "junk0"])
    if rng.random() < 0.5 and len(words) > 1:
        words.remove(rng.choice(words[1:]))
    else:
        words.append(rng.choice(WORDS if rng.random() < 0.35 else JUNK))
    return " ".join(dict.fromkeys(words))


@dataclass
class Watch:
    """Counts executions, and when the perfect text had been run on `size` validation examples."""

    size: int
    calls: int = 0
    reached: int = 0
    seen: set[int] = field(default_factory=set)

    def ran(self, text: str, example: int, noisy: bool, *, validation: bool) -> None:
        """Note one execution."""
        self.calls += 1
        if validation and not self.reached and quality(text, noisy) >= 1.0:
            self.seen.add(example)
            self.reached = self.calls if len(self.seen) >= self.size else 0
