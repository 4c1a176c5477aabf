"""Pick the best prompt, model or policy with few paid evaluations, and with proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimand.core.lazy import lazy

if TYPE_CHECKING:
    from optimand.artifacts.folder import read_folder, write_folder
    from optimand.artifacts.policy import Policy
    from optimand.artifacts.tracing import parameter, traced
    from optimand.core.artifact import Artifact, Candidate
    from optimand.core.budget import Budget
    from optimand.core.example import Example
    from optimand.improving import improve
    from optimand.picking import pick
    from optimand.planning import plan
    from optimand.tasks.control.task import ControlTask
    from optimand.tasks.duel import DuelTask
    from optimand.tasks.function import FunctionTask
    from optimand.tasks.program import ProgramTask
    from optimand.tasks.text import TextTask

__all__ = [
    "Artifact",
    "Budget",
    "Candidate",
    "ControlTask",
    "DuelTask",
    "Example",
    "FunctionTask",
    "Policy",
    "ProgramTask",
    "TextTask",
    "improve",
    "parameter",
    "pick",
    "plan",
    "read_folder",
    "traced",
    "write_folder",
]


def __dir__() -> list[str]:
    return sorted(__all__)


__getattr__ = lazy(
    __name__,
    {
        "Artifact": "core.artifact",
        "Budget": "core.budget",
        "Candidate": "core.artifact",
        "ControlTask": "tasks.control.task",
        "DuelTask": "tasks.duel",
        "Example": "core.example",
        "FunctionTask": "tasks.function",
        "Policy": "artifacts.policy",
        "ProgramTask": "tasks.program",
        "TextTask": "tasks.text",
        "improve": "improving",
        "parameter": "artifacts.tracing",
        "pick": "picking",
        "plan": "planning",
        "traced": "artifacts.tracing",
        "read_folder": "artifacts.folder",
        "write_folder": "artifacts.folder",
    },
)
