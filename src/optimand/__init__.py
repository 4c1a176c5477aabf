"""Pick the best prompt, model or policy with few paid evaluations, and with proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimand.core.lazy import lazy

if TYPE_CHECKING:
    from optimand.artifacts.policy import Policy
    from optimand.core.artifact import Artifact, Candidate
    from optimand.core.budget import Budget
    from optimand.core.example import Example
    from optimand.improving import improve
    from optimand.picking import pick
    from optimand.planning import plan
    from optimand.tasks.duel import DuelTask
    from optimand.tasks.function import FunctionTask
    from optimand.tasks.text import TextTask

__all__ = [
    "Artifact",
    "Budget",
    "Candidate",
    "DuelTask",
    "Example",
    "FunctionTask",
    "Policy",
    "TextTask",
    "improve",
    "pick",
    "plan",
]

__getattr__ = lazy(
    __name__,
    {
        "Artifact": "core.artifact",
        "Budget": "core.budget",
        "Candidate": "core.artifact",
        "DuelTask": "tasks.duel",
        "Example": "core.example",
        "FunctionTask": "tasks.function",
        "Policy": "artifacts.policy",
        "TextTask": "tasks.text",
        "improve": "improving",
        "pick": "picking",
        "plan": "planning",
    },
)
