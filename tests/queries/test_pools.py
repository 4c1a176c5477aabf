"""The pool of examples that the start fails."""

from __future__ import annotations

import asyncio
import random
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Endless, Example
from optimand.core.proposal import Context
from optimand.core.record import Record
from optimand.queries.pools import failed_by_start

START = Candidate(Artifact({"value": "start"}), "start")


def context(number: int, ran: list[str]) -> Context:
    async def rollout(candidate: Candidate, example: Example, repeat: int) -> Record:
        ran.append(example.id)
        return Record(candidate.id, example.id, score=float(int(example.input) % 3 == 0))

    async def breathe() -> None: ...

    run: Any = SimpleNamespace(
        seed=0,
        rollout=rollout,
        breathe=breathe,
        task=SimpleNamespace(width=1),
        log=SimpleNamespace(held=nullcontext),
    )
    nothing: Any = None
    memory = SimpleNamespace(start=START)
    return Context(run, memory, nothing, nothing, number, random.Random(0))


def test_it_stops_when_the_pool_is_full_and_goes_through_it_in_epochs() -> None:
    ran: list[str] = []
    pick = failed_by_start(6)
    split = [Example(f"e{i}", i) for i in range(60)]
    picked = [asyncio.run(pick(context(i, ran), split, 3)) for i in range(4)]
    ids = [[e.id for e in batch] for batch in picked]
    assert len(ran) == 16  # two chunks hold ten failures
    assert set(ids[0] + ids[1]) == set(ids[2] + ids[3])
    assert len(set(ids[0] + ids[1])) == 6
    assert all(e.input % 3 for batch in picked for e in batch)


def test_it_takes_what_there_is_and_ends_on_endless_examples() -> None:
    ran: list[str] = []
    few = [Example(f"e{i}", i) for i in (0, 3, 6)]
    assert list(asyncio.run(failed_by_start(5)(context(0, ran), few, 3))) == []
    ran.clear()
    found = asyncio.run(failed_by_start(100, below=-1.0)(context(0, ran), Endless(), 3))
    assert list(found) == []
    assert len(ran) == 1000
