"""A part that is written before the search, and not judged by itself."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from optimand.artifacts.surface import read
from optimand.core.artifact import Candidate
from optimand.core.proposal import Context, Evidence, Operator, Propose, Query, Step, Trial

__all__ = ["written_once"]


def written_once(
    start: Candidate, part: str, write: Operator, look: Query, tries: int
) -> Generator[Propose, Step, Candidate]:
    """`start` with its text `part` written where it is empty, by the first of `tries` readable.

    Nothing is run, and what was written is not among what the search kept.
    """
    if read(start.artifact.parts, part).strip():
        return start
    for _ in range(tries):
        step = yield Propose(write, (start,), _not_run, look, params={"parts": [part]})
        made = next((trial.candidate for trial in step.trials if trial.candidate), None)
        if made is not None:
            return made
    return start


async def _not_run(context: Context, evidence: Evidence, trials: list[Trial]) -> list[Trial]:  # noqa: ARG001
    why = "written before the search, and not run by itself"
    return [replace(trial, accepted=False, why=trial.why or why) for trial in trials]
