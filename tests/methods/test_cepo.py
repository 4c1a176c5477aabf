"""CEPO: a fault that agents share is mended once, by any host."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from optimand import Budget, FunctionTask, improve
from optimand.core.errors import InputError
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.methods.registry import all_methods

AGENTS = ("ann", "bob", "cid")
PART = re.compile(r'<part name="(\w+)">\n(.*?)\n</part>', re.DOTALL)


def team(own: str = "") -> FunctionTask:
    """Every agent must know the word json; agent `own` also its own name.

    The feedback says, agent by agent, which word is missing.
    """

    def run(parts: Any, example: Any, seed: int) -> dict[str, Any]:
        said, done = [], {}
        for agent in AGENTS:
            words = f"{parts.get('base', '')} {parts[agent]}".split()
            needed = ["json", agent] if agent == own else ["json"]
            missing = [word for word in needed if word not in words]
            said += [f"{agent}: missing {word}" for word in missing]
            done[agent] = float(not missing)
        score = sum(done.values()) / len(AGENTS)
        return {"score": score, "feedback": "\n".join(said), "objectives": done}

    return FunctionTask(run, list(range(60)), name=f"team-{own}")


def editor(seen: list[str]) -> Scripted:
    """Adds the first word called missing to the part that may change."""

    def answer(request: Request) -> str:
        text = request.messages[0].content
        seen.append(text)
        missing = re.findall(r"missing (\w+)", text)
        found = re.search(r"(?:one or more of: |every part \()(\w+)\)", text)
        wanted = found[1] if found else "?"
        base = dict(PART.findall(text)).get(wanted, "")
        word = missing[0] if missing else f"junk{random.Random(request.seed).randrange(99)}"
        return f'<part name="{wanted}">\n{base} {word}\n</part>'

    return Scripted(answer, name="editor")


def run(method: Any, task: FunctionTask, *parts: str, seen: list[str] | None = None) -> Any:
    return improve(
        dict.fromkeys(parts, "start"),
        task,
        method=method,
        proposer=editor([] if seen is None else seen),
        budget=Budget(rollouts=3000),
    )


def kept(result: ImproveResult) -> int:
    """Edits in the line that led to the best."""
    return len(result.lineage) - 1


@pytest.mark.parametrize("host", ["opro", "gepa", {"type": "opro", "width": 2}])
def test_one_edit_of_the_coordinator_mends_all(host: Any) -> None:
    seen: list[str] = []
    method = {"type": "cepo", "host": host, "coordinator": "base"}
    result = run(method, team(), *AGENTS, "base", seen=seen)
    assert result.proven
    assert "json" in result.best.artifact.parts["base"]
    assert all(result.best.artifact.parts[agent] == "start" for agent in AGENTS)
    assert kept(result) == 1
    assert result.search.standings[0].estimate == 1.0


def test_without_it_each_agent_needs_an_edit() -> None:
    result = run("gepa", team(), *AGENTS)
    assert kept(result) == 3
    assert result.search.standings[0].estimate == 1.0


def test_turns_and_what_each_role_sees() -> None:
    seen: list[str] = []
    method = {"type": "cepo", "host": {"type": "gepa", "merges": 0}, "coordinator": "base"}
    result = run(method, team("bob"), "base", *AGENTS, seen=seen)
    assert result.search.standings[0].estimate == 1.0
    first, _, third = seen[:3]
    assert "every agent of the system reads it" in first
    assert "- ann: 3 of 3 cases\n- bob: 3 of 3 cases" in first
    assert "ann: missing json" in first
    assert [len(PART.findall(text)) for text in (first, third)] == [2, 2]  # one and the example
    assert "belongs to one agent" in third
    assert "bob: missing bob" in third
    assert "ann:" not in third
    assert "bob" in result.best.artifact.parts["bob"].split()


def test_an_agent_that_did_not_fail_sees_no_failures() -> None:
    seen: list[str] = []
    run({"type": "cepo"}, team("bob"), "base", *AGENTS, seen=seen)
    assert "missing" not in seen[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coordinator": "boss"}, "no part that may change"),
        ({"host": "polca"}, "cannot be its host"),
        ({"host": "cepo"}, "cannot be its host"),
        ({"host": "gepaa"}, "Did you mean 'gepa'"),
        ({"host": {"type": "gepa", "step": 1}}, "no option 'step'"),
        ({"host": 3}, "must be a method's name"),
    ],
)
def test_a_host_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run({"type": "cepo", **options}, team(), *AGENTS)


@pytest.mark.parametrize("host", sorted(all_methods().keys() - {"tpe"}))
def test_every_other_method_can_be_its_host_or_is_refused_in_words(host: str) -> None:
    one = all_methods()[host]
    method = {
        "type": "cepo",
        "host": {"type": host, **({"steps": 4} if "steps" in one.defaults else {})},
    }
    if host in ("cepo", "oeo") or one.final != "val":
        with pytest.raises(InputError, match="cannot be its host"):
            run(method, team(), "base", *AGENTS)
    else:
        assert run(method, team(), "base", *AGENTS).search.standings
