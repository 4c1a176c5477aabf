"""The arguments of the verbs, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.task import most_steps
from optimand.core.usercode import shown

__all__ = ["check_arguments"]

WIDEST = 10_000


def check_arguments(
    task: Any, confidence: Any, seed: Any, budget: Any = None, strategy: Any = None
) -> None:
    """Raise InputError for an argument that cannot be meant."""
    number = isinstance(confidence, int | float)
    # Also what 1 - confidence is rounded to, since that is what the methods use.
    if not number or not (0.0 < confidence < 1.0 and 0.0 < 1.0 - confidence < 1.0):
        raise InputError(f"confidence is {shown(confidence)}: it must lie strictly between 0 and 1")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed is {shown(seed)}: it must be a whole number, 0 or more")
    if budget is not None and not isinstance(budget, Budget):
        raise InputError(f"budget is {shown(budget)}: write optimand.Budget(calls=...)")
    named = strategy is None or isinstance(strategy, str | Mapping)
    if not named and not (callable(strategy) and hasattr(strategy, "name")):
        raise InputError(
            f"strategy is {shown(strategy)}: it must be a strategy's name, a mapping with its type "
            "and options, a strategy object, or None"
        )
    _check_task(task)


def _check_task(task: Any) -> None:
    if not (hasattr(task, "execute") and hasattr(task, "splits")):
        raise InputError(f"task is {shown(task)}: it must be a task, such as a FunctionTask")
    if not isinstance(task.name, str):
        raise InputError(f"the task's name is {shown(task.name)}: it must be a text")
    width = task.width
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= WIDEST:
        raise InputError(
            f"task {task.name!r}: width is {shown(width)}. "
            f"It must be a whole number from 1 to {WIDEST:,}."
        )
    steps = most_steps(task)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise InputError(
            f"task {task.name!r}: steps_per_run is {shown(steps)}. It must be a whole number, the "
            "most environment steps of one execution; 0 or no such attribute where it is not known."
        )
