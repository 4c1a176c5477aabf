"""GRACE: gated refinement, and compression that unlocks progress."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.methods.benches import TOKENS, improved, tokens_task

from optimand import Budget, improve
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.storage.connect import connect

LIMIT = 60
JUNKED = "start " + " ".join(f"junk{i}" for i in range(8))
SHORTEN = "You shorten a text"


def _editor(loses: int = 0) -> Scripted:
    """Adds the first missing token; asked to shorten, drops the junk and the last `loses` words."""

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        shown = re.findall(r'<part name="value">\n(.*?)\n</part>', text, re.DOTALL)
        words = shown[-1].split() if shown else ["start"]
        if SHORTEN in text:
            words = [w for w in words if not w.startswith("junk")]
            words = words[: max(1, len(words) - loses)]
        else:
            words += sorted(set(re.findall(r"missing (t\d+)", text)))[:1]
        return f'<part name="value">\n{" ".join(words)}\n</part>'

    return Scripted(answer, name=f"careful-{loses}")


def _run(patience: int, start: str = JUNKED, **kwargs: Any) -> ImproveResult:
    options = {"proposer": _editor(), "budget": Budget(rollouts=4000), **kwargs}
    return improve(
        start,
        tokens_task(),
        method={"type": "grace", "patience": patience},
        change={"texts": ["value"], "limits": {"value": LIMIT}},
        **options,
    )


def _steps(result: ImproveResult, store: Any) -> list[tuple[str, bool, float]]:
    """(operator, accepted, score on val) of each step; ("", False, -1) where nothing came."""
    with closing(store.read(result.study)) as journal:
        events = list(journal.events())
    trials = [e.body["trials"][0] for e in events if e.kind == "step"]
    made = {e.body["id"]: e.body["operator"] for e in events if e.kind == "candidate"}
    return [
        (made.get(t["candidate"], ""), t["accepted"], t["scores"].get("val", -1.0)) for t in trials
    ]


def test_compression_unlocks_progress() -> None:
    stuck, free = _run(10_000), _run(5)
    assert len(set(TOKENS) & set(stuck.best.artifact.parts["value"].split())) <= 2
    assert len(set(TOKENS) & set(free.best.artifact.parts["value"].split())) >= 9
    assert "compress" in {c.operator for c in free.lineage}
    assert free.proven


def test_every_fifth_straight_reject_gives_one_unconditional_accept(tmp_path: Path) -> None:
    """With an editor whose changes never help and whose compressions cost tokens."""
    useless = Scripted(_useless, name="useless")
    with closing(connect(str(tmp_path / "runs.db"))) as store:
        result = _run(5, "t0 t1 t2 t3 t4 t5", proposer=useless, store=store)
        steps = _steps(result, store)
    kinds = [("compress" if accepted else "refine") for _, accepted, _ in steps]
    assert len(kinds) == 80 + 80 // 5
    assert kinds == (["refine"] * 5 + ["compress"]) * 16
    start = {s.candidate: s.estimate for s in result.search.standings}[result.start.id]
    scores = [score for _, accepted, score in steps if accepted]
    assert scores[0] < start  # worse than the start, and accepted
    assert result.best == result.start


def _useless(request: Request) -> str:
    text = request.messages[-1].content
    shown = re.findall(r'<part name="value">\n(.*?)\n</part>', text, re.DOTALL)
    words = shown[-1].split() if shown else ["t0"]
    words = words[: max(1, len(words) - 2)] if SHORTEN in text else [*words, "junk"]
    return f'<part name="value">\n{" ".join(words)}\n</part>'


def test_the_result_is_at_least_as_good_as_every_node(tmp_path: Path) -> None:
    with closing(connect(str(tmp_path / "runs.db"))) as store:
        result = _run(3, proposer=_editor(loses=4), store=store)
        steps = _steps(result, store)
    best = {s.candidate: s.estimate for s in result.search.standings}[result.search.best]
    scores = [score for _, _, score in steps]
    assert best >= max(scores)
    losses = [score for kind, kept, score in steps if kind == "compress" and kept and score < best]
    assert losses  # a compression that cost something was accepted on the way


def test_it_ends_where_nothing_in_training_is_wrong() -> None:
    result = improved("grace", 3000, proposer=_editor())
    assert result.search.reason == "finished"
    assert result.spent["calls"] < 30
    assert result.proven


@pytest.mark.parametrize("unreadable", [SHORTEN, "You refine a text"])
def test_unreadable_replies_do_not_stop_it(unreadable: str) -> None:
    careful = _editor()

    def answer(request: Request) -> str:
        return "no" if unreadable in request.messages[-1].content else careful._function(request)

    result = _run(2, proposer=Scripted(answer, name=f"half-deaf-{len(unreadable)}"))
    assert result.search.reason in ("finished", "budget")
    assert result.reasons["the reply could not be read"] > 5
