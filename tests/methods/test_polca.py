"""POLCA under Bernoulli noise: means that settle, a bounded memory without near-duplicates."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations

import pytest
from tests.methods.benches import improved, token_editor

from optimand import Budget, FunctionTask, improve
from optimand.core.example import Example
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.memory.archive import Memory
from optimand.operators.novelty import bag_distance

WORDS = ["ta", "tb", "tc", "td", "te"]


def _truth(value: str) -> float:
    """The chance to pass: every word of five counts the same."""
    return 0.2 + 0.12 * len(set(WORDS) & set(value.split()))


def _noisy_task() -> FunctionTask:
    def run(value: str, example: Example, seed: int) -> dict[str, object]:
        rng = random.Random(f"{value}|{seed}")
        passed = rng.random() < _truth(value)
        absent = [w for w in WORDS if w not in value.split()]
        hint = f"missing {rng.choice(absent)}" if absent and not passed else ""
        return {"score": float(passed), "feedback": hint, "output": value}

    return FunctionTask(run, [{"id": f"e{i}", "input": f"case {i}."} for i in range(80)], name="b")


def _toggler() -> Scripted:
    """Adds a word that is called missing or takes one away, in any order of words."""

    def answer(request: Request) -> str:
        text, rng = request.messages[-1].content, random.Random(request.seed)
        shown = re.findall(r'<part name="value">\n(.*?)\n</part>', text, re.DOTALL)
        if "advice for the writer" in text:
            return "Add what is missing."
        words, missing = shown[-1].split()[1:], re.findall(r"missing (t\w)", text)
        if missing and rng.random() < 0.5:
            words = [*words, rng.choice(missing)]
        elif words:
            words.remove(rng.choice(words))
        rng.shuffle(words)
        return f'<part name="value">\n{" ".join(["start", *dict.fromkeys(words)])}\n</part>'

    return Scripted(answer, name="toggler")


@pytest.fixture
def memories(monkeypatch: pytest.MonkeyPatch) -> list[Memory]:
    """The memory of each search, for a look inside."""
    seen: list[Memory] = []

    class Watched(Memory):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            seen.append(self)

    monkeypatch.setattr("optimand.improving.Memory", Watched)
    return seen


def _search(seed: int = 0, proposer: Scripted | None = None, **options: float) -> ImproveResult:
    return improve(
        "start",
        _noisy_task(),
        method={"type": "polca", "steps": 90, **options},
        proposer=proposer or _toggler(),
        budget=Budget(rollouts=4000),
        seed=seed,
    )


@pytest.mark.parametrize("bonus", [0.0, 1.0])
def test_the_best_mean_comes_close_to_the_truth(memories: list[Memory], bonus: float) -> None:
    found = []
    for seed in range(3):
        _search(seed, bonus=bonus, steps=80)
        best = memories[-1].best("train")
        found.append(_truth(best.artifact.parts["value"]))
        assert len(memories[-1].records(best, "train")) >= 60
        assert abs(memories[-1].value(best, "train") - found[-1]) < 0.12
    assert min(found) >= 0.68 - 1e-9
    if bonus:  # by the mean alone, one that was unlucky at first is not looked at again
        assert sum(truth == pytest.approx(0.8) for truth in found) >= 2


@pytest.mark.parametrize("epsilon", [0.1, 0.6])
def test_memory_is_a_packing_and_stays_bounded(memories: list[Memory], epsilon: float) -> None:
    result = _search(epsilon=epsilon, steps=60)
    bags = [Counter(c.artifact.parts["value"].split()) for c in memories[-1].pool.values()]
    assert all(bag_distance(a, b) > epsilon for a, b in combinations(bags, 2))
    every = [Counter(["start", *chosen]) for n in range(6) for chosen in combinations(WORDS, n)]
    assert len(bags) <= _packing_at_most(every, epsilon)
    assert result.reasons["too near to what is kept"] > 100


def _packing_at_most(every: list[Counter[str]], epsilon: float) -> int:
    """Into how few groups without a distance above epsilon a greedy search divides all there is.

    No two of a packing are in the same group.
    """
    groups: list[list[Counter[str]]] = []
    for one in every:
        near = (g for g in groups if all(bag_distance(one, other) <= epsilon for other in g))
        group = next(near, None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return len(groups)


def test_each_look_at_an_example_is_a_new_draw(memories: list[Memory]) -> None:
    _search(steps=30)
    memory = memories[-1]
    seen = Counter(r.example for r in memory.records(memory.best("train"), "train"))
    assert max(seen.values()) > 1


def test_the_summarizer_reads_the_search_and_the_editor_its_advice() -> None:
    asked: list[str] = []
    toggler = _toggler()

    def answer(request: Request) -> str:
        asked.append(request.messages[-1].content)
        return str(toggler._function(request))

    _search(proposer=Scripted(answer, name="watched"), steps=6)
    advice = [text for text in asked if "advice for the writer" in text]
    edits = [text for text in asked if text not in advice]
    assert len(advice) == 5  # nothing was run before the first step
    assert "### mean score" in advice[-1]
    assert "score: 1.00" in advice[-1]
    assert "score: 0.00" in advice[-1]
    assert "## lessons\nAdd what is missing." in edits[-1]
    assert all("## lessons" not in text for text in edits[:1])


def test_each_editor_sees_the_records_of_its_own_parent_alone() -> None:
    asked: list[str] = []
    toggler = _toggler()

    def answer(request: Request) -> str:
        asked.append(request.messages[-1].content)
        return str(toggler._function(request))

    _search(proposer=Scripted(answer, name="watched"), steps=12, summarized=0)
    for text in asked:
        (value,) = re.findall(r'<part name="value">\n(.*?)\n</part>\n\n## your task', text)
        outputs = set(re.findall(r"^output: (.*)$", text, re.MULTILINE))
        assert outputs <= {value}


def test_without_test_examples_the_best_mean_on_train_is_the_result() -> None:
    task = _noisy_task()
    rows = list(task.splits["all"])
    task.splits = {"train": rows[:40], "val": rows[40:]}
    result = improve(
        "start",
        task,
        method={"type": "polca", "steps": 30},
        proposer=_toggler(),
        budget=Budget(rollouts=2000),
    )
    assert "no test examples" in result.uncertified
    assert _truth(result.best.artifact.parts["value"]) >= 0.44
    first, *others = result.search.standings
    assert first.candidate == result.best.id
    assert all(first.estimate >= other.estimate for other in others)


def test_it_climbs_on_the_token_bench() -> None:
    result = improved({"type": "polca", "steps": 40}, 1500, proposer=token_editor())
    assert result.proven
    assert result.method == "polca"
