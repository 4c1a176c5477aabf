"""Code that differs in comments or layout alone becomes the candidate that is known."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Context, Evidence, Trial
from optimand.memory.archive import Memory
from optimand.operators.same_code import as_known

START = Candidate(Artifact({"policy": "x = 1\n", "summary": ""}), "start")


class _Step:
    memory = Memory(START)


def found(*artifacts: dict[str, Any]) -> list[Trial]:
    async def propose(context: Context, evidence: Evidence) -> list[Trial]:
        made = [Trial(Candidate(Artifact(a), f"c{i}")) for i, a in enumerate(artifacts)]
        return [*made, Trial(None, False, "the reply could not be read")]

    async def run() -> list[Trial]:
        return await as_known(propose, "policy")(cast(Context, _Step()), Evidence())

    return asyncio.run(run())


@pytest.mark.parametrize("code", ["x=1", "# one\nx = 1  # two", "x = 1\n"])
def test_the_same_code_is_what_is_known(code: str) -> None:
    assert found({"policy": code, "summary": ""})[0].candidate is START


@pytest.mark.parametrize(
    "code", ["x = 2", "x = ", "x = 1\x00", "'\\d'", "(" * 500, "-" * 50_000 + "1", "a" * 9]
)
def test_other_code_and_text_that_is_no_code_stays_itself(code: str) -> None:
    first, again, unread = found(*[{"policy": code, "summary": ""}] * 2)
    assert first.candidate is again.candidate
    assert first.candidate is not START
    assert unread.candidate is None


def test_other_parts_must_be_equal() -> None:
    assert found({"policy": "x=1", "summary": "other"})[0].candidate is not START
