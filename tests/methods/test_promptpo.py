"""PromptPO on scripted policies: rounds, races, repairs, reflections, what is kept, and costs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.methods.benches import JUNK

from optimand import Budget, improve
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Endless, Example
from optimand.core.model import Request
from optimand.core.record import Record
from optimand.core.task import Judge
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.methods.registry import all_methods
from optimand.storage.connect import connect

WRITES, SUMMARISES = "You write programs", "You write a small program"
REFLECTS, REPAIRS = "You look back", "You repair"
ABOUT = "Push the cart to the goal."
FAITHFUL = {"keep": "last", "race": False}


class Carts:
    """A policy says `gain = x`; its return is that, the same noise for all, and a little own.

    `crash`, `slow` and `odd` in the code, at an example from the number written there on, give the
    status; `broken` in the summary makes that raise. `executed` has (policy, example) pairs.
    """

    def __init__(self, noise: float = 0.02, parts: Sequence[str] = ()) -> None:
        self.name, self.about, self.noise, self.parts = "carts", ABOUT, noise, parts
        self.splits: Mapping[str, Sequence[Example]] = {"train": Endless(), "val": Endless()}
        self.population: Literal["whole", "sample"] = "sample"
        self.width = 4
        self.judge: Judge | None = None
        self.executed: list[tuple[str, str]] = []

    def fingerprint(self) -> str:
        return f"carts {self.noise}"

    def check(self, artifact: Artifact) -> list[str]:
        code = artifact.parts["policy"]
        return ["line 1: a class is needed"] if code and "class" not in code else []

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        code, about = candidate.artifact.parts["policy"], (candidate.id, example.id)
        self.executed.append((code, example.id))
        for word, status in (("crash", "crash"), ("slow", "timeout"), ("odd", "invalid")):
            found = re.search(rf"{word} = (\d+)", code)
            if found and example.input >= int(found[1]):
                text = f"Traceback of {word} at step 7"
                return Record(*about, score=0.0, feedback=text, status=status)  # type: ignore[arg-type]
        found = re.search(r"gain = ([\d.]+)", code)
        shared, own = random.Random(seed), random.Random(f"{code}{seed}")
        noise = self.noise * (2 * shared.gauss(0, 1) + own.gauss(0, 1))
        score = min(1.0, max(0.0, (float(found[1]) if found else 0.0) + noise))
        broken = "broken" in candidate.artifact.parts.get("summary", "")
        return Record(
            *about,
            score=score,
            output="no summary" if broken else f"went {100 * score:.0f} m",
            objectives={"return": 1000 * score},
            trace={"summary_error": "NameError: broken"} if broken else None,
        )

    async def close(self) -> None: ...


def code(gain: float, more: str = "") -> str:
    return f"class Policy:\n    gain = {gain:.6f}\n    {more}\n    def act(self, o): return 0"


def fenced(text: str) -> str:
    return f"```python\n{text}\n```"


def writer(
    draw: Callable[[random.Random, str], str],
    seen: list[str] | None = None,
    junk: float = 0.0,
    summaries: Sequence[str] = ("def summarise(observations): return ''",),
) -> Scripted:
    """Draws policies by `draw(rng, prompt)`; repairs by taking the fault out; reflects in words."""
    made = iter(summaries)

    def answer(request: Request) -> str:
        text, rng = request.messages[-1].content, random.Random(request.seed)
        if seen is not None:
            seen.append(text)
        if rng.random() < junk:
            return rng.choice(JUNK)
        if text.startswith(REFLECTS):
            return f"It went {len(text) % 7} m further; speed is lacking."
        if text.startswith(SUMMARISES) or 'name="summary"' in text:
            return fenced(next(made))
        if text.startswith(REPAIRS):
            (old,) = re.findall(r'instructions\)\n<part name="policy">\n(.*?)\n</part>', text, re.S)
            return fenced(re.sub(r"(crash|slow|odd) = \d+", "pass", old))
        assert text.startswith(WRITES)
        return fenced(draw(rng, text))

    return Scripted(answer, name=f"writer-{junk}")


def climbing(rng: random.Random, text: str) -> str:
    """A little above or below the last attempt; no two are alike."""
    last = re.findall(r"gain = ([\d.]+)", text)
    return code(max(0.0, (float(last[-1]) if last else 0.2) + rng.uniform(-0.05, 0.05)))


def search(
    task: Carts, proposer: Scripted, budget: Budget | None = None, **kwargs: Any
) -> ImproveResult:
    options = {"rounds": 4, "width": 6, **kwargs.pop("options", {})}
    start = {"policy": "", **({"summary": ""} if "summary" in task.parts else {})}
    method = {"type": "promptpo", **options}
    return improve(start, task, method=method, proposer=proposer, budget=budget, **kwargs)


def kinds(seen: Sequence[str]) -> Counter[str]:
    heads = (SUMMARISES, WRITES, REFLECTS, REPAIRS)
    return Counter(next(h for h in heads if text.startswith(h)) for text in seen)


def test_the_faithful_form_makes_the_stated_calls_and_episodes() -> None:
    seen: list[str] = []
    task = Carts(parts=("summary",))
    options = {"rounds": 10, "width": 10, **FAITHFUL}
    result = search(task, writer(climbing, seen), options=options)
    assert result.spent["calls"] == len(seen) == 1 + 10 * 10 + 9
    assert kinds(seen) == {SUMMARISES: 1, WRITES: 100, REFLECTS: 9}
    assert result.spent["rollouts"] == len(task.executed) == 10 * 10 * 5
    assert {example for _, example in task.executed} == {"0", "1", "2", "3", "4"}
    assert result.search.reason == "finished"
    assert "no test examples" in result.uncertified
    assert result.best.artifact.parts["summary"]


def test_prompts_hold_the_task_the_winners_and_the_reflections() -> None:
    seen: list[str] = []
    search(Carts(), writer(climbing, seen), options={"rounds": 3, "width": 2, "episodes": 3})
    rounds = [text for text in seen if text.startswith(WRITES)]
    assert all(ABOUT in text for text in seen)
    assert rounds[0] == rounds[1]
    assert "### attempt" not in rounds[0]
    assert len(re.findall(r"^### attempt \d", rounds[-1], re.M)) == 2
    assert rounds[-1].count("the best so far") == 1
    assert len(re.findall(r"^- return [\d.]+: went \d+ m$", rounds[-1], re.M)) == 6
    assert rounds[-1].count("speed is lacking") == 2  # the older one, and the last
    assert len(re.findall(r"^reflection: ", rounds[-1], re.M)) == 1
    assert "speed is lacking" not in rounds[0]
    reflections = [text for text in seen if text.startswith(REFLECTS)]
    assert "## earlier attempts\nnone" in reflections[0]
    assert "## earlier attempts\n### attempt 1" in reflections[1]


def test_without_reflections_none_is_asked_for() -> None:
    seen: list[str] = []
    search(Carts(), writer(climbing, seen), options={"reflect": False, **FAITHFUL})
    assert kinds(seen) == {WRITES: 24}


@pytest.mark.parametrize("episodes", [5, 8])
def test_a_race_saves_episodes_and_finds_the_same_winners(episodes: int) -> None:
    """Populations of ten policies whose differences are larger than the noise of their own."""
    same, spent = 0, Counter[bool]()
    for seed in range(20):
        found = {}
        for race in (True, False):
            task = Carts(noise=0.01)
            proposer = writer(lambda rng, _: code(rng.uniform(0.1, 0.9)))
            options = {"rounds": 1, "width": 10, "episodes": episodes, "race": race}
            found[race] = search(task, proposer, options=options, seed=seed).best.id
            spent[race] += len(task.executed)
            assert len(set(task.executed)) == len(task.executed)  # none twice
        same += found[True] == found[False]
    assert spent[False] == 20 * 10 * episodes
    assert spent[True] <= 0.5 * spent[False]
    assert same >= 19


def test_a_race_keeps_ties() -> None:
    task = Carts(noise=0.0)
    search(
        task,
        writer(lambda rng, _: code(0.5, f"n = {rng.random()}")),
        options={"rounds": 1, "width": 4, "episodes": 4},
    )
    assert len(task.executed) == 16


@pytest.mark.parametrize("fault", ["crash = 0", "slow = 0", "odd = 3"])
@pytest.mark.parametrize("race", [True, False])
def test_a_policy_that_fails_is_repaired_and_the_repaired_code_counts(
    fault: str, race: bool
) -> None:
    seen: list[str] = []
    proposer = writer(lambda rng, _: code(0.5 + 0.1 * rng.random(), fault), seen)
    task = Carts()
    result = search(task, proposer, options={"rounds": 1, "width": 3, "race": race})
    best = result.best
    assert best.operator == "repair"
    assert "pass" in best.artifact.parts["policy"]
    assert [c.operator for c in result.lineage] == ["given", "promptpo", "repair"]
    repairs = [text for text in seen if text.startswith(REPAIRS)]
    assert 1 <= len(repairs) <= 3
    assert all(f"Traceback of {fault.split()[0]}" in text for text in repairs)
    assert result.reasons["failed when it was run, and was repaired"] == len(repairs)
    own = {example for policy, example in task.executed if policy == best.artifact.parts["policy"]}
    assert own == {"0", "1", "2", "3", "4"}


def test_code_that_breaks_a_rule_before_it_runs_is_repaired_too() -> None:
    seen: list[str] = []

    def draw(rng: random.Random, text: str) -> str:
        return "gain = 0.5"

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        seen.append(text)
        return fenced(code(0.5)) if text.startswith(REPAIRS) else fenced(draw(random.Random(), ""))

    result = search(Carts(), Scripted(answer, name="r"), options={"rounds": 1, "width": 1})
    assert result.best.artifact.parts["policy"] == code(0.5)
    assert "line 1: a class is needed" in seen[1]
    assert "gain = 0.5\n</part>" in seen[1]


def test_repairs_end_and_a_policy_that_still_fails_wins_nothing() -> None:
    def answer(request: Request) -> str:
        text = request.messages[-1].content
        seen.append(text)
        return fenced(code(random.Random(request.seed).random(), "crash = 0"))

    seen: list[str] = []
    options = {"rounds": 2, "width": 2, "repairs": 3}
    result = search(Carts(), Scripted(answer, name="hopeless"), options=options)
    assert kinds(seen) == {WRITES: 4, REPAIRS: 12}
    assert result.reasons["still fails after 3 repairs"] == 4
    assert "nothing that scored higher" in result.uncertified
    assert result.best == result.start


@pytest.mark.parametrize("keep", ["best", "last"])
def test_best_and_last_differ_where_the_last_is_worse(keep: str) -> None:
    gains = iter((0.3, 0.6, 0.4))
    proposer = writer(lambda *_: code(next(gains)))
    options = {"rounds": 3, "width": 1, "keep": keep, "episodes": 2}
    best = search(Carts(), proposer, options=options).best
    assert best.artifact.parts["policy"] == code(0.6 if keep == "best" else 0.4)


def test_the_last_winner_is_the_result_though_it_won_before() -> None:
    gains = iter((0.6, 0.3, 0.6))
    proposer = writer(lambda *_: code(next(gains)))
    task = Carts()
    best = search(task, proposer, options={"rounds": 3, "width": 1, **FAITHFUL}).best
    assert best.artifact.parts["policy"] == code(0.6)
    assert len(task.executed) == 10  # what ran before is known


def test_what_goes_into_the_certificate_follows_keep() -> None:
    method = all_methods()["promptpo"]
    assert method.result({}) == "train"
    assert method.result({"keep": "last"}) == "last"
    assert all_methods()["gepa"].result({}) == "val"


def test_a_certificate_compares_the_start_with_the_winner() -> None:
    task = Carts()
    task.splits = {"all": Endless()}
    result = search(task, writer(climbing), Budget(rollouts=500))
    assert result.proven
    assert result.best.id in {s.candidate for s in result.search.standings}
    assert result.search.standings[0].runs == 5


def test_the_search_ends_at_a_perfect_winner() -> None:
    seen: list[str] = []
    search(Carts(0.0), writer(lambda *_: code(1.0), seen), options={"width": 1})
    assert kinds(seen) == {WRITES: 1}


def test_the_summary_is_written_once_and_repaired() -> None:
    seen: list[str] = []
    made = ("def summarise(o): return broken", "def summarise(o): broken", "def summarise(o): ...")
    task = Carts(parts=("summary",))
    options = {"rounds": 3, "width": 3, **FAITHFUL}
    result = search(task, writer(climbing, seen, summaries=made), options=options)
    assert kinds(seen) == {SUMMARISES: 1, WRITES: 9, REFLECTS: 2, REPAIRS: 2}
    assert sum("NameError: broken" in text for text in seen) == 2
    last = [text for text in seen if text.startswith(WRITES)][-1]
    assert "no summary" not in last
    assert result.best.artifact.parts["summary"] == made[-1]
    assert len(task.executed) == 9 * 5 + 2 * 5


def test_a_summary_that_stays_broken_stops_nothing() -> None:
    made = ["def summarise(o): return broken"] * 100
    task = Carts(parts=("summary",))
    result = search(task, writer(climbing, summaries=made), options={"rounds": 2, "width": 2})
    assert "gain" in result.best.artifact.parts["policy"]


def test_a_summary_that_is_there_is_kept() -> None:
    seen: list[str] = []
    start = {"policy": "", "summary": "def summarise(o): return 'x'"}
    method = {"type": "promptpo", "rounds": 1, "width": 1}
    result = improve(start, Carts(), method=method, proposer=writer(climbing, seen))
    assert kinds(seen) == {WRITES: 1}
    assert result.best.artifact.parts["summary"] == start["summary"]


def test_code_that_differs_in_comments_alone_is_not_run_again() -> None:
    task = Carts()
    proposer = writer(lambda rng, _: code(0.5, f"# {rng.random()}\n    pass"))
    result = search(task, proposer, options={"rounds": 3, "width": 5, "race": False})
    assert len(task.executed) == 5
    assert len(result.known) == 2


@pytest.mark.parametrize("race", [True, False])
def test_it_climbs(race: bool) -> None:
    for seed in range(3):
        options = {"rounds": 10, "width": 10, "race": race}
        best = search(Carts(0.01), writer(climbing), options=options, seed=seed).best
        found = re.search(r"gain = ([\d.]+)", best.artifact.parts["policy"])
        assert found
        assert float(found[1]) >= 0.4


@pytest.mark.parametrize(
    "limits", [{"rollouts": 77}, {"calls": 17}, {"rollouts": 200, "calls": 9}, {"calls": 1}]
)
def test_no_budget_is_overspent(limits: dict[str, int]) -> None:
    proposer = writer(lambda rng, text: climbing(rng, text) + "  # crash = 2")
    task = Carts(parts=("summary",))
    result = search(task, proposer, Budget(**limits))  # type: ignore[arg-type]
    assert all(result.spent[door] <= most for door, most in limits.items())
    assert len(task.executed) <= limits.get("rollouts", 1000)


@pytest.mark.parametrize("options", [{}, FAITHFUL])
def test_replies_that_are_junk_leave_it_alive(options: dict[str, Any]) -> None:
    def draw(rng: random.Random, text: str) -> str:
        return climbing(rng, text) + ("  # crash = 0" if rng.random() < 0.3 else "")

    summaries = ["def summarise(o): return broken", "def summarise(o): ..."] * 9
    for seed in range(4):
        proposer = writer(draw, junk=0.3, summaries=summaries)
        task = Carts(parts=("summary",))
        result = search(task, proposer, options={"rounds": 6, **options}, seed=seed)
        assert result.search.reason == "finished"
        assert "gain" in result.best.artifact.parts["policy"]
        assert result.reasons["the reply could not be read"] > 3


def test_a_run_that_was_broken_off_goes_on_to_the_same_history(tmp_path: Path) -> None:
    def run(store: Any, budget: Budget | None) -> tuple[list[str], ImproveResult, Carts]:
        seen: list[str] = []
        task = Carts(parts=("summary",))
        options = {"rounds": 3, "width": 4}
        proposer = writer(
            lambda rng, text: climbing(rng, text) + "  # crash = 1" * (rng.random() < 0.3), seen
        )
        return seen, search(task, proposer, budget, options=options, store=store), task

    whole, expected, _ = run(str(tmp_path / "whole.db"), None)
    with closing(connect(str(tmp_path / "s.db"))) as store:
        first, _, some = run(store, Budget(calls=14))
        second, result, rest = run(store, None)
        again, once_more, none = run(store, None)
    assert 0 < len(first) < len(whole)
    assert sorted(first + second) == sorted(whole)  # no call is made twice
    assert not set(some.executed) & set(rest.executed)
    assert not again
    assert not none.executed
    for found in (result, once_more):
        assert found.best == expected.best
        assert list(found.known) == list(expected.known)
        assert found.search.standings == expected.search.standings


def test_an_artifact_without_a_text_for_the_policy_is_refused() -> None:
    with pytest.raises(InputError, match="writes a policy"):
        improve(
            {"summary": "", "policy": ""},
            Carts(),
            method="promptpo",
            change=["summary"],
            proposer=writer(climbing),
        )
