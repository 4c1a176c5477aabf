"""MOCHA: trade-offs that a weighted sum misses, limits, and its schedule."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from tests.methods.benches import TOKENS, improved, token_editor

from optimand import Budget, FunctionTask, improve
from optimand.artifacts.surface import Surface
from optimand.core.artifact import Artifact, Candidate
from optimand.core.model import Request
from optimand.core.proposal import Problem
from optimand.core.record import Record
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.memory.archive import Memory
from optimand.methods.mocha import mocha

SIZE = 10


def _hollow_task() -> FunctionTask:
    """k words of SIZE: score (k/n)^2 and objective (1 - k/n)^2, a front bent towards the origin."""

    def run(value: str, example: object, seed: int) -> dict[str, object]:
        share = min(value.split().count("more"), SIZE - 1) / SIZE
        return {"score": share**2, "objectives": {"short": (1.0 - share) ** 2}}

    return FunctionTask(run, [{"id": f"e{i}", "input": i} for i in range(20)], name="hollow")


def _jumper() -> Scripted:
    """The longest text first, then any length."""

    def answer(request: Request) -> str:
        shown = re.findall(r'<part name="value">\n(.*?)\n</part>', request.messages[-1].content)
        first = "best so far 0," in request.messages[-1].content
        size = SIZE - 1 if first else random.Random(request.seed).randrange(SIZE)
        assert shown
        return f'<part name="value">\n{" ".join(["start"] + ["more"] * size)}\n</part>'

    return Scripted(answer, name="jumper")


def _kept(decay: float) -> set[int]:
    """How many words the accepted candidates have."""
    result = improve(
        "start",
        _hollow_task(),
        method={"type": "mocha", "steps": 250, "decay": decay},
        proposer=_jumper(),
        budget=Budget(rollouts=3000),
    )
    return {w.split().count("more") for w in _accepted(result)}


def _accepted(result: ImproveResult) -> list[str]:
    return [result.known[s.candidate].artifact.parts["value"] for s in result.search.standings]


def _linear(point: Sequence[float], weights: Sequence[float]) -> float:
    return -sum(w * x for w, x in zip(weights, point, strict=True))


def test_it_holds_trade_offs_that_a_weighted_sum_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = set(range(SIZE))
    greedy = 1e6  # no exploring step after the first: only the weighted distance decides
    assert _kept(1.4) == everything
    assert len(_kept(greedy)) >= 7
    monkeypatch.setattr("optimand.memory.pareto.chebyshev", _linear)
    monkeypatch.setattr("optimand.evaluation.tradeoffs.chebyshev", _linear)
    assert _kept(greedy) == {0, SIZE - 1}


def test_parents_are_drawn_from_the_whole_front(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [_hollow(k) for k in range(SIZE)]
    assert {c.name for c in _parents(everything)} == {c.name for c, _ in everything}
    with monkeypatch.context() as patched:
        patched.setattr("optimand.memory.pareto.chebyshev", _linear)
        assert {c.name for c in _parents(everything)} == {"0", str(SIZE - 1)}
    dominated = (Candidate(Artifact({"value": "dull"}), "dull"), (0.15, 0.15))
    assert "dull" not in {c.name for c in _parents([*everything, dominated])}


def _hollow(size: int) -> tuple[Candidate, tuple[float, float]]:
    share = size / (SIZE - 1)
    return Candidate(Artifact({"value": size}), str(size)), (share**2, (1.0 - share) ** 2)


def _parents(pool: Sequence[tuple[Candidate, tuple[float, float]]]) -> list[Candidate]:
    """Whom the method edits, where nothing is ever added to this pool."""
    memory = Memory(pool[0][0])
    for candidate, (score, short) in pool:
        memory.pool[candidate.id] = candidate
        record = Record(candidate.id, "e", score=score, objectives={"short": short})
        memory.observe([record], "val")
    search = mocha(Problem(memory, Surface(("value",)), None, 0), steps=400)
    return [propose.parents[0] for propose in search]


def test_what_is_kept_already_is_not_run_again() -> None:
    echo = Scripted(lambda request: '<part name="value">\nstart\n</part>', name="echo")
    result = improved({"type": "mocha", "steps": 5}, proposer=echo)
    assert result.reasons == {"kept already": 5}


def test_it_keeps_short_and_good_texts_on_the_token_bench() -> None:
    result = improved({"type": "mocha", "steps": 120}, 4000, proposer=token_editor(junk=0.1))
    kept = [value.split() for value in _accepted(result)]
    sizes = sorted(len(words) for words in kept)
    assert sizes[0] == 1  # the start, the shortest of all
    assert sizes[-1] >= 6
    assert result.proven
    found = [len(set(TOKENS) & set(words)) for words in kept]
    assert max(found) >= 6
    assert result.reasons["adds nothing to the Pareto front"] > 0
    assert result.reasons["another is better under these weights"] > 0


def test_what_breaks_a_limit_is_never_run() -> None:
    change = {"texts": ["value"], "limits": {"value": 12}}
    result = improved({"type": "mocha", "steps": 30}, change=change)
    assert all(len(c.artifact.parts["value"]) <= 12 for c in result.known.values())
    assert any("the limit is 12" in reason for reason in result.reasons)


def test_the_proposer_sees_objectives_and_the_room_left() -> None:
    asked: list[str] = []

    def answer(request: Request) -> str:
        asked.append(request.messages[-1].content)
        return ""

    change = {"texts": ["value"], "limits": {"value": 100}}
    improved({"type": "mocha", "steps": 2}, proposer=Scripted(answer, name="deaf"), change=change)
    assert "- short: 0.975 (best so far 0.975, lowest 0.975; higher is better)" in asked[0]
    assert "- value: 5 of at most 100 characters" in asked[0]


def test_without_objectives_it_climbs_by_score_alone() -> None:
    def run(value: str, example: object, seed: int) -> float:
        return min(value.split().count("more"), SIZE) / SIZE

    task = FunctionTask(run, [{"id": f"e{i}", "input": i} for i in range(20)], name="plain")
    result = improve(
        "start",
        task,
        method={"type": "mocha", "steps": 60},
        proposer=_jumper(),
        budget=Budget(rollouts=2000),
    )
    assert result.best.artifact.parts["value"].count("more") == SIZE - 1
