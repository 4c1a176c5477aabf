"""The order in which examples are used: random, which the guarantees need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from optimand.core.example import Example, endless

__all__ = ["shuffled"]


def shuffled(examples: Sequence[Example], rng: np.random.Generator) -> Callable[[int], Example]:
    """From a place in random order to the example there; endless ones are random as they come."""
    if endless(examples):
        return examples.__getitem__
    order = rng.permutation(len(examples))
    return lambda place: examples[int(order[place])]
