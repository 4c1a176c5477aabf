"""Code that differs in comments or layout alone is the same code, and is not paid for twice."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from functools import lru_cache
from typing import Any

from optimand.artifacts.surface import read
from optimand.core.artifact import Candidate
from optimand.core.keys import content_hash
from optimand.core.proposal import Context, Evidence, Operator, Trial

__all__ = ["as_known"]


def as_known(operator: Operator, part: str) -> Operator:
    """Proposals whose `part` is the Python of an earlier candidate become that candidate.

    Earlier are those that the search knows and those before it in its step. All other parts must
    be equal. Text that is no Python is only the same as itself.
    """

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        known: dict[Any, Candidate] = {}
        for candidate in context.memory.known.values():
            known.setdefault(_form(candidate, part), candidate)
        return [
            replace(
                trial, candidate=known.setdefault(_form(trial.candidate, part), trial.candidate)
            )
            if trial.candidate
            else trial
            for trial in await operator(context, evidence)
        ]

    return carry_out


def _form(candidate: Candidate, part: str) -> tuple[str, str]:
    """The same for candidates that do the same but for comments and layout."""
    artifact = candidate.artifact
    code = read(artifact.parts, part)
    return artifact.replace(**{part: ""}).id, _normal(code) if isinstance(code, str) else ""


@lru_cache(maxsize=4096)
def _normal(code: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in a model's strings
            return content_hash(ast.dump(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
