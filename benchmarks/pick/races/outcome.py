"""What every way to race returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from benchmarks.pick.races.worlds import Tables
from numpy.typing import NDArray

__all__ = ["Method", "Outcome"]

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Outcome:
    """R races: the candidate named, rollouts paid for, and whether it stopped by itself."""

    answer: Ints
    rollouts: Ints
    decided: Bools


Method = Callable[[Tables, float, int], Outcome]
"""Tables, delta, rollouts a method with a fixed budget may spend -> outcome."""
