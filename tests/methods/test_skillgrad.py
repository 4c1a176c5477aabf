"""SkillGrad on a skill folder: a recurring fault in one file, one-off faults in others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from optimand import Budget, FunctionTask, improve, read_folder, write_folder
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.memory.notes import Notes
from optimand.operators import patch as patching

FILES = {
    "SKILL.md": "---\nname: sheets\n---\nFill in the sheet.",
    "references/dates.md": "About dates.",
    "references/units.md": "About units.",
    "references/other.md": "About nothing that matters.",
}
NEEDS = {"check-cells": "SKILL.md", "iso-date": "references/dates.md"}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    write_folder(FILES, tmp_path / "skill")
    return tmp_path / "skill"


def sheets() -> FunctionTask:
    """Of ten tasks seven need one rule, two another, and one a rule that nothing else needs."""

    def need(i: int) -> tuple[str, str]:
        if i % 10 < 7:
            return "check-cells", NEEDS["check-cells"]
        return (
            ("iso-date", NEEDS["iso-date"]) if i % 10 < 9 else (f"unit-{i}", "references/units.md")
        )

    def run(value: dict[str, str], example: Any, seed: int) -> tuple[float, str]:
        rule, file = need(example.input)
        passed = rule in value[file].split()
        return float(passed), "" if passed else f"rule {rule} of {file} is missing"

    rows = [{"id": f"e{i}", "input": i} for i in range(120)]
    return FunctionTask(run, rows, name="sheets")


def worker(stray: bool = False, stubborn: bool = False) -> Scripted:
    """Diagnoses by the feedback, merges by label, and adds the rules that the diagnoses name.

    With `stray` every patch also touches a part that was not named. With `stubborn` check-cells
    goes in only where it is shown as a pattern that was seen on five tasks or more.
    """

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        if "You find out why" in text:
            found = re.search(r"rule (\S+) of (\S+) is missing", text)
            rule, file = found.groups() if found else ("fine", "SKILL.md")
            said = {"label": f"no {rule} rule", "diagnosis": f"add {rule}", "part": file}
            return json.dumps(said)
        if "You keep notes" in text:
            labels = sorted(set(re.findall(r"^- (no .+? rule) \(", text, re.MULTILINE)))
            patterns = [
                {"name": n, "labels": [n], "gap": n, "change": f"state {n}", "part": "SKILL.md"}
                for n in labels
            ]
            return json.dumps({"patterns": patterns, "themes": ["look twice"]})
        parts = dict(re.findall(r'<part name="([^"]+)">\n(.*?)\n</part>', text, re.DOTALL))
        parts.pop("NAME", None)
        lasting = re.search(r"no check-cells rule in \S+, seen on (\d+) tasks", text)
        seen = int(lasting[1]) if lasting else 0
        for rule, file in re.findall(r"rule (\S+) of (\S+) is missing", text):
            if stubborn and rule == "check-cells" and seen < 5:
                parts[file] = parts.get(file, "") + " try"
            elif file in parts and rule not in parts[file]:
                parts[file] += f" {rule}"
        if stray:
            parts["references/other.md"] = "changed"
        return "\n".join(f'<part name="{n}">\n{t}\n</part>' for n, t in parts.items())

    return Scripted(answer, name=f"worker-{stray}-{stubborn}")


def repaired(skill: Path, proposer: Scripted | None = None, **options: object) -> ImproveResult:
    return improve(
        read_folder(skill),
        sheets(),
        method={"type": "skillgrad", **options},
        proposer=proposer or worker(),
        budget=Budget(rollouts=2000),
    )


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[Notes]:
    kept: list[Notes] = []
    init = Notes.__init__

    def watch(self: Notes, most: int = 50) -> None:
        init(self, most)
        kept.append(self)

    monkeypatch.setattr(Notes, "__init__", watch)
    return kept


def test_it_repairs_a_folder_and_the_last_patch_is_certified(skill: Path, tmp_path: Path) -> None:
    result = repaired(skill)
    assert result.proven
    parts = result.best.artifact.parts
    assert "check-cells" in parts["SKILL.md"]
    assert parts["SKILL.md"].startswith("---\nname: sheets\n---\n")
    write_folder(result.best.artifact, skill)
    assert read_folder(skill) == result.best.artifact


def test_what_recurs_outranks_one_offs(skill: Path, notes: list[Notes]) -> None:
    result = repaired(skill, worker(stubborn=True))
    top = notes[-1].ranked()[0]
    assert top.name == "no check-cells rule"
    assert len(top.seen) >= 5
    assert all(len(e.seen) <= 1 for e in notes[-1] if e.name.startswith("no unit"))
    assert notes[-1].log
    # It is mended only once the notes call it lasting: without them it never would be.
    assert "check-cells" in result.best.artifact.parts["SKILL.md"]


def test_patches_touch_only_named_parts(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[tuple[str, ...]] = []
    named = patching._named

    def watch(*args: Any) -> tuple[str, ...]:
        allowed.append(named(*args))
        return allowed[-1]

    monkeypatch.setattr(patching, "_named", watch)
    result = repaired(skill)
    patches = [c for c in result.known.values() if c.operator == "patch"]
    assert patches
    assert any(set(names) < set(FILES) for names in allowed)
    for one, names in zip(patches, allowed, strict=False):
        before = result.known[one.parents[0]].artifact.parts
        changed = {n for n in FILES if one.artifact.parts[n] != before[n]}
        assert changed <= set(names)


def test_a_patch_that_strays_is_refused(skill: Path) -> None:
    result = repaired(skill, worker(stray=True), steps=6)
    assert result.reasons["part 'references/other.md' may not change"] > 0
    assert result.best == result.start


def test_every_patch_is_kept_even_a_bad_one(skill: Path) -> None:
    def spoil(request: Request) -> str:
        if request.schema is not None:
            return json.dumps({"label": "all", "diagnosis": "worse", "part": "SKILL.md"})
        return f'<part name="SKILL.md">\nworse {request.seed}\n</part>'

    result = repaired(skill, Scripted(spoil, name="spoiler"), steps=5)
    patches = list(result.known.values())[1:]
    assert len(patches) == 5
    assert not result.reasons
    assert [c.parents[0] for c in patches] == list(result.known)[:-1]
    assert not result.proven
    assert result.best == result.start


def test_it_ends_when_all_is_right() -> None:
    task = FunctionTask(lambda value, example, seed: 0.5 + 0.5 * ("ok" in value), name="easy")
    calls = []

    def answer(request: Request) -> str:
        calls.append(1)
        if request.schema is not None:
            return json.dumps({"label": "not ok", "diagnosis": "say ok", "part": "value"})
        return '<part name="value">\nok\n</part>'

    result = improve(
        "start",
        task,
        method={"type": "skillgrad", "steps": 50, "pool": 8, "patience": 2},
        proposer=Scripted(answer, name="ok"),
        budget=Budget(rollouts=900),
    )
    assert result.best.artifact.parts["value"] == "ok"
    assert result.proven
    assert len(calls) < 40
