"""What the engine is measured with: tasks that cost nothing, a strategy that decides nothing."""

# ruff: noqa: ARG002
from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from optimand.core.action import Rollout, Steps
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Endless, Example
from optimand.core.record import Judgement, Record
from optimand.core.run import Run
from optimand.core.task import Judge
from optimand.core.verdict import Verdict

__all__ = ["Count", "Latencies", "Stub", "StubJudge", "candidates"]


def candidates(count: int) -> list[Candidate]:
    return [Candidate(Artifact({"n": i}), f"candidate {i}") for i in range(count)]


@dataclass
class Latencies:
    """Lognormal waits of a median in seconds, noting from when to when a slot was busy."""

    median: float
    sigma: float = 0.5
    spans: list[tuple[float, float]] = field(default_factory=list)

    async def wait(self, seed: int) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        await asyncio.sleep(self.median * random.Random(seed).lognormvariate(0.0, self.sigma))
        self.spans.append((began, clock()))

    def busy(self, width: int, skip: int = 0) -> float:
        """The share of `width` slots that were busy from the start of call `skip` to the last."""
        starts = sorted(began for began, _ in self.spans)
        first, last = starts[skip], starts[-1]
        used = sum(max(0.0, min(end, last) - max(began, first)) for began, end in self.spans)
        return used / (width * (last - first))


@dataclass
class StubJudge:
    """Compares without looking."""

    latencies: Latencies | None = None
    name: str = "stub"
    kind: Literal["pair"] = "pair"
    needs_outputs: bool = False

    def fingerprint(self) -> str:
        return "stub"

    async def compare(self, example: Example, a: Record, b: Record, seed: int) -> Judgement:
        if self.latencies:
            await self.latencies.wait(seed)
        return Judgement(float(seed % 2))


@dataclass
class Stub:
    """Scores without looking: fair coins, the same in every process."""

    width: int = 1
    latencies: Latencies | None = None
    judge: Judge | None = None
    name: str = "stub"
    population: Literal["whole", "sample"] = "sample"
    splits: Mapping[str, Sequence[Example]] = field(default_factory=lambda: {"all": Endless()})

    def fingerprint(self) -> str:
        return "stub"

    def check(self, artifact: Artifact) -> list[str]:
        return []

    async def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        number = candidate.artifact.parts["n"]
        if self.latencies:
            await self.latencies.wait(seed + number)
        return Record(candidate.id, example.id, score=float(seed * (2 * number + 3) >> 7 & 1))

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class Count:
    """One rollout per step, `steps` times: what is left is what the engine costs."""

    steps: int
    ordered: bool = True
    name: str = "count"

    def __call__(self, run: Run) -> Steps:
        examples = run.task.splits["all"]
        started = taken = 0
        while taken < self.steps:
            action = None
            if started < self.steps:
                one = run.candidates[started % len(run.candidates)]
                action = Rollout((one,), (examples[started],))
                started += 1
            outcome = yield action
            taken += outcome is not None
        return Verdict(True, run.candidates[0].id, "separated", unit="rollouts", used=taken)
