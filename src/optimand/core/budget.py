"""Limits on what a run may spend."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = ["Budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Upper limits; None means no limit.

    `calls`, `tokens` and `usd` count language model calls, `seconds` the time the run was active
    (over all resumptions), `rollouts` executions of a candidate on an example, `comparisons`
    judged pairs, `steps` those of simulated environments (never one too many where the task has
    `steps_per_run`, see `core.task.Task`). Raises InputError for a negative or non-finite limit.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    rollouts: int | None = None
    comparisons: int | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        for name, limit in self.limits().items():
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise InputError(f"budget: {name} must be a number, not {shown(limit)}")
            if not 0 <= limit <= sys.float_info.max:
                raise InputError(f"budget: {name} must be 0 or more, and finite")

    def limits(self) -> dict[str, float]:
        """The limits that are set, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value is not None}
