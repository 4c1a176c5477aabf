"""Policies that act, from a study file: the task, and what can be seen of them without running."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from optimand.artifacts.program import program_complaints
from optimand.core.artifact import Artifact
from optimand.core.errors import InputError
from optimand.core.usercode import shown

if TYPE_CHECKING:
    from optimand.tasks.control.task import ControlTask
    from optimand.tasks.forms import FileReader

__all__ = ["POLICY", "SUMMARY", "acting_complaints", "control_task"]

POLICY, SUMMARY = "policy", "summary"
_FUNCTION = re.compile(r"[\w.]+:\w+")


def control_task(reader: FileReader, given: Mapping[str, Any], name: str) -> ControlTask:
    """The task of the section `control`; an environment `module:function` is imported.

    Raises InputError, with the line, for what cannot be meant; SetupError for what is missing.
    """
    from optimand.evaluation.judges.loading import load_function
    from optimand.tasks.control.task import ControlTask

    options = dict(given)
    env: Any = options.pop("env")
    try:
        if _FUNCTION.fullmatch(env):  # an id of Gymnasium may have a module in front of it too
            env = load_function(env, reader.file.parent)
        return ControlTask(env, name=name, **options)
    except InputError as error:
        raise reader.error(["improve", "control"], str(error)) from None


def acting_complaints(artifact: Artifact) -> list[str]:
    """What can be seen to be wrong with an artifact's programs, without running them."""
    parts = artifact.parts
    if not isinstance(parts.get(POLICY), str):
        return ["there is no part 'policy': give the source of a class with act(self, observation)"]
    unknown = [n for n in parts if n not in (POLICY, SUMMARY)]
    if unknown:
        return [f"no part {shown(unknown[0])}: a policy has the parts 'policy' and 'summary'"]
    wrong = [f"policy: {c}" for c in program_complaints(parts[POLICY], "act", 1)]
    summary = parts.get(SUMMARY, "")
    if not isinstance(summary, str):
        return [*wrong, "part 'summary' must be text"]
    if summary.strip():
        wrong += [f"summary: {c}" for c in program_complaints(summary, "summarise", 1)]
    return wrong
