"""The archive and its instance front, and the merge that it feeds."""

from __future__ import annotations

import asyncio
import random
from types import SimpleNamespace
from typing import Any

from optimand.artifacts.surface import Surface
from optimand.core.artifact import Artifact, Candidate
from optimand.core.proposal import Evidence, Propose, Step, Trial
from optimand.core.record import Record
from optimand.memory.archive import Memory
from optimand.memory.fronts import draw_from_front, instance_front
from optimand.operators.merge import merge, merge_trios


def _candidate(x: str, y: str, *parents: Candidate) -> Candidate:
    return Candidate(Artifact({"x": x, "y": y}), x + y, tuple(p.id for p in parents))


def _records(candidate: Candidate, scores: list[float]) -> tuple[Record, ...]:
    return tuple(Record(candidate.id, f"e{i}", score=s) for i, s in enumerate(scores))


def _memory() -> tuple[Memory, Candidate, Candidate, Candidate, Candidate]:
    start = _candidate("0", "0")
    first, second = _candidate("1", "0", start), _candidate("0", "1", start)
    weak = _candidate("9", "9", start)
    memory = Memory(start)
    memory.observe(_records(start, [0, 0, 0]), "val")
    scores = ((first, [1, 1, 0]), (second, [0, 0, 1]), (weak, [0, 1, 0]))
    trials = tuple(Trial(c, records={"val": _records(c, list(s))}) for c, s in scores)
    memory.retain(Step(_action(), Evidence(), trials))
    return memory, start, first, second, weak


def _action(**params: Any) -> Propose:
    return Propose(merge, (), merge, params=params)  # type: ignore[arg-type]


def test_the_dominated_leave_the_front() -> None:
    memory, _, first, second, _ = _memory()
    assert instance_front(memory) == {"e0": {first.id}, "e1": {first.id}, "e2": {second.id}}


def test_parents_are_drawn_as_often_as_they_are_best() -> None:
    memory, _, first, second, _ = _memory()
    rng = random.Random(1)
    drawn = [draw_from_front(memory, rng).id for _ in range(3000)]
    assert abs(drawn.count(first.id) / 3000 - 2 / 3) < 0.03
    assert set(drawn) == {first.id, second.id}


def test_a_merge_takes_what_each_one_changed() -> None:
    memory, start, first, second, _ = _memory()
    trios = [t for t in merge_trios(memory) if {t[0].id, t[1].id} == {first.id, second.id}]
    assert [t[2] for t in trios] == [start]
    surface = Surface(("x", "y"))
    context = SimpleNamespace(memory=memory, surface=surface, action=_action(trio=trios[0]))
    (made,) = asyncio.run(merge(context, Evidence()))  # type: ignore[arg-type]
    assert made.candidate is not None
    assert dict(made.candidate.artifact.parts) == {"x": "1", "y": "1"}


def test_descendants_are_not_merged_with_their_ancestors() -> None:
    memory, _, first, _, _ = _memory()
    child = _candidate("1", "5", first)
    trial = Trial(child, records={"val": _records(child, [1, 1, 1])})
    memory.retain(Step(_action(), Evidence(), (trial,)))
    assert all({t[0].id, t[1].id} != {first.id, child.id} for t in merge_trios(memory))


def test_what_a_failed_service_left_is_not_counted() -> None:
    memory, start, *_ = _memory()
    memory.observe([Record(start.id, "e9", score=None, status="unknown")], "val")
    assert memory.value(start) == 0.0
    assert memory.value(start, "train") == float("-inf")


def test_the_best_on_each_example_are_those_that_a_search_of_all_records_finds() -> None:
    rng = random.Random(3)
    start = _candidate("0", "0")
    memory = Memory(start)
    for step in range(40):
        candidate = _candidate(str(step % 25), "", start)
        shown = [f"e{i}" for i in range(6) if rng.random() < 0.7]
        rows = tuple(Record(candidate.id, e, step, score=rng.randrange(4) / 4) for e in shown)
        trial = Trial(candidate, accepted=rng.random() < 0.5, records={"val": rows})
        memory.retain(Step(_action(), Evidence(), (trial,)))
        best: dict[str, tuple[float, set[str]]] = {}
        for one in memory.pool.values():
            for record in memory.records(one):
                score, (high, ids) = record.score or 0.0, best.get(record.example, (-1.0, set()))
                if score >= high:
                    best[record.example] = score, ({one.id} if score > high else ids | {one.id})
        assert memory.best_on() == {example: ids for example, (_, ids) in best.items()}
