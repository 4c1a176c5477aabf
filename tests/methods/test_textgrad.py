"""TextGrad: how many calls each mode makes, what combining loses, and reverting."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest
from tests.methods.benches import TOKENS, improved, tokens_task

from optimand import Budget, FunctionTask, improve
from optimand.core.errors import InputError
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

CRITERIA = ("clear", "short", "polite")
MODES = ("SSS", "SSC", "SCC", "CCC")


def _criteria_task() -> FunctionTask:
    """Example i needs the word `criterion-i` of each criterion; all three are failed at first."""

    def run(value: str, example: Any, seed: int) -> dict[str, Any]:
        words = value.split()
        needs = {c: f"{c}-{example.input['n'] % 4}" for c in CRITERIA}
        missing = [need for need in needs.values() if need not in words]
        return {
            "score": 1.0 - len(missing) / 3.0,
            "objectives": {c: float(need in words) for c, need in needs.items()},
            "feedback": " ".join(f"missing {need}" for need in missing),
        }

    rows = [{"id": f"e{i}", "input": {"n": i}} for i in range(60)]
    return FunctionTask(run, rows, name="criteria")


def _critic(prompts: list[str]) -> Scripted:
    """Names only the first fault of the criteria and cases that it is shown."""

    def criticize(request: Request) -> str:
        said = request.messages[-1].content
        prompts.append(said)
        listed = said.partition("## criteria\n")[2].partition("\n\n")[0]
        asked = re.findall(r"^- (\w+)$", listed, re.MULTILINE)
        faults = re.findall(r"(?:missing|add) ((\w+)-?\d+)", said)
        first = next((f for f, criterion in faults if not asked or criterion in asked), "nothing")
        return f"add {first}"

    return Scripted(criticize, name="first-fault")


def _editor(prompts: list[str], obeys: bool = True) -> Scripted:
    """Adds the first thing that the criticism asks for; always another word if disobedient."""

    def write(request: Request) -> str:
        said = request.messages[-1].content
        prompts.append(said)
        asked = said.partition("## criticism\n")[2].partition("## the current version")[0]
        base = re.findall(r'<part name="value">\n(.*?)\n</part>', said, re.DOTALL)[-1]
        wanted = list(dict.fromkeys(re.findall(r"add (\S+)", asked)))
        if not obeys:
            wanted = [f"junk{random.Random(request.seed).randrange(1000)}"]
        return f'<part name="value">\n{" ".join([base, *wanted])}\n</part>'

    return Scripted(write, name=f"obedient-{obeys}")


def _criteria_run(mode: str, steps: int, **options: Any) -> tuple[ImproveResult, Counter[str]]:
    said: list[str] = []
    edits: list[str] = []
    result = improve(
        "start",
        _criteria_task(),
        method={"type": "textgrad", "mode": mode, "steps": steps, "minibatch": 2, **options},
        proposer={"proposer": _editor(edits), "critic": _critic(said)},
        budget=Budget(rollouts=3000),
    )
    losses = sum("You assess" in prompt for prompt in said)
    calls = Counter(loss=losses, gradient=len(said) - losses, optimizer=len(edits))
    return result, calls


@pytest.mark.parametrize(
    ("mode", "calls"),
    [("SSS", (6, 6, 3)), ("SSC", (6, 6, 1)), ("SCC", (6, 2, 1)), ("CCC", (2, 2, 1))],
)
def test_each_mode_makes_its_calls_with_criteria(mode: str, calls: tuple[int, int, int]) -> None:
    """Two records fail three criteria each."""
    _, counted = _criteria_run(mode, 1, criteria=CRITERIA)
    assert (counted["loss"], counted["gradient"], counted["optimizer"]) == calls


@pytest.mark.parametrize(
    ("mode", "calls"),
    [("SSS", (2, 2, 2)), ("SSC", (2, 2, 1)), ("SCC", (2, 1, 1)), ("CCC", (1, 1, 1))],
)
def test_without_criteria_the_records_are_the_units(mode: str, calls: tuple[int, int, int]) -> None:
    _, counted = _criteria_run(mode, 1)
    assert (counted["loss"], counted["gradient"], counted["optimizer"]) == calls


def _reached(mode: str) -> float:
    result, _ = _criteria_run(mode, 4, criteria=CRITERIA)
    return next(s.estimate for s in result.search.standings if s.candidate == result.search.best)


def test_a_critic_that_names_only_the_first_fault_does_best_with_separate_stages() -> None:
    value = {mode: _reached(mode) for mode in MODES}
    assert value["SSS"] >= value["SSC"] > value["SCC"] >= value["CCC"] > 0.0
    assert value["SSS"] > 0.99
    assert value["CCC"] < 0.8


def test_a_criterion_with_the_name_of_a_part_changes_that_part_only() -> None:
    shown: list[str] = []

    def write(request: Request) -> str:
        said = request.messages[-1].content
        shown.append(said)
        names = re.findall(r'<part name="(\w+)">\nrules', said)
        return "".join(f'<part name="{n}">\nrules {request.seed % 7} {n}\n</part>' for n in names)

    def run(parts: Any, example: Any, seed: int) -> dict[str, Any]:
        good = {name: float(len(parts[name]) > 5) for name in ("clear", "short")}
        return {"score": sum(good.values()) / 2.0, "objectives": good}

    result = improve(
        {"clear": "rules", "short": "rules"},
        FunctionTask(run, [{"id": f"e{i}", "input": i} for i in range(20)], name="parts"),
        method={"type": "textgrad", "mode": "SSS", "criteria": ["clear", "short"], "steps": 1},
        proposer={"proposer": Scripted(write, name="w"), "critic": _critic([])},
        budget=Budget(rollouts=500),
    )
    assert len(shown) == 2
    assert '<part name="short">' not in shown[0]
    assert '<part name="clear">\nrules' not in shown[1]
    best = result.known[result.search.best or ""]
    assert [best.artifact.parts[name].endswith(name) for name in ("clear", "short")] == [True] * 2
    assert best.parents == (result.start.id,)  # what lies between two rewrites is no candidate


def test_what_gets_worse_on_val_is_taken_back() -> None:
    """A rewrite that loses a needed word is never criticized: the text before it is."""

    def spoil(request: Request) -> str:
        spoiled.append(re.findall(r'<part name="value">\n(.*?)\n</part>', _said(request))[-1])
        return f'<part name="value">\nworse {len(spoiled)}\n</part>'

    spoiled: list[str] = []
    result = improve(
        " ".join(TOKENS[:6]),
        tokens_task(),
        method={"type": "textgrad", "steps": 5},
        proposer={"proposer": Scripted(spoil, name="spoil"), "critic": _critic([])},
        budget=Budget(rollouts=3000),
    )
    assert set(spoiled) == {" ".join(TOKENS[:6])}
    assert result.reasons["not as good as its parent (0.000, 0.583)"] == len(spoiled) > 0
    assert result.reasons["nothing to criticize: the whole batch passed"] == 5 - len(spoiled)
    assert result.best == result.start


def test_it_finds_the_tokens_with_a_critic_that_sees() -> None:
    critic = _critic([])
    method = {"type": "textgrad", "steps": 30}
    result = improved(method, proposer={"proposer": _editor([]), "critic": critic})
    assert set(TOKENS) <= set(result.best.artifact.parts["value"].split())
    assert result.proven


def _edits(**options: Any) -> list[str]:
    edits: list[str] = []
    method = {"type": "textgrad", "steps": 4, **options}
    improved(method, proposer={"proposer": _editor(edits, obeys=False), "critic": _critic([])})
    return edits


def test_the_optimizer_is_shown_earlier_criticism_if_asked() -> None:
    first, *_, last = _edits(gradient_memory=2)
    assert "## earlier criticism" not in first
    earlier = last.partition("## earlier criticism\n")[2].partition("## criticism\n")[0]
    assert len(re.findall(r"add t\d+", earlier)) == 6  # two steps of three records
    assert all("## earlier" not in prompt for prompt in _edits())


def test_momentum_shows_earlier_versions_and_what_became_of_them() -> None:
    first, *_, last = _edits(momentum=2)
    assert "## earlier versions" not in first
    earlier = last.partition("## earlier versions\n")[2].partition("## criticism\n")[0]
    assert earlier.count('<part name="value">') == 2
    assert earlier.count("Its rewrite was kept.") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mode": "CSS"}, "mode is 'CSS'"), ({"criteria": "clear"}, "must be a list of texts")],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        improved({"type": "textgrad", **options})


def _said(request: Request) -> str:
    return request.messages[-1].content


def test_criteria_that_no_run_has_are_named() -> None:
    method = {"type": "textgrad", "criteria": ["typo"], "steps": 2}
    reasons = improved(method, 500).reasons
    assert any("no run has an objective named typo; there is short" in why for why in reasons)
