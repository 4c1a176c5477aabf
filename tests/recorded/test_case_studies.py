"""The case studies replay from their recordings alone, to what was recorded and what is told."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from optimand.core.errors import SetupError
from optimand.core.keys import canonical
from optimand.core.model import Message, Request

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "examples" / "case_studies"
NAMES = ("gepa", "textgrad", "opticom")
COLUMN = {"gepa": 2, "textgrad": 3, "opticom": 4}
PROVEN = {"gepa": True, "textgrad": False, "opticom": True}


@cache
def case_studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("case_studies_replay", PLACE / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def replayed(name: str) -> Any:
    return case_studies().replayed(name)


@cache
def told() -> str:
    return (ROOT / "docs" / "case-studies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_is_the_run(name: str) -> None:
    result, clients = replayed(name)
    plain, recorded = result.to_json(), case_studies().recorded_result(name)
    assert recorded["spent"]["seconds"] > 100
    bare = case_studies().same_but_for_time
    assert canonical(bare(plain)) == canonical(bare(recorded))
    assert result.proven is PROVEN[name]
    assert [c.asked for c in clients] == [c.recorded for c in clients]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_what_was_found(name: str) -> None:
    result, clients = replayed(name)
    assert f"{result}\n" in told()
    if name == "textgrad":  # nothing is proven: the page shows the last finalist
        best = next(c for c in result.known.values() if c.name == "textgrad 7778d2")
    else:
        best = result.best
    assert f"{best.artifact.parts['system']}\n" in told()
    assert f"{best.artifact.parts['prompt']}\n" in told()
    spent, search, proof = result.spent, result.search.used, result.certificate.used
    assert f" {spent['calls']}, {spent['tokens']:,} |" in told()
    assert f" {search} + {proof} |" in told()
    assert spent["rollouts"] == search + proof == clients[0].asked
    minutes = case_studies().recorded_result(name)["spent"]["seconds"] / 60
    row = next(line for line in told().splitlines() if line.startswith("| minutes |"))
    assert row.split("|")[COLUMN[name]].strip() == f"{minutes:.0f}"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_the_scores(name: str) -> None:
    result, _ = replayed(name)
    for split, verdict in (("val", result.search), ("test", result.certificate)):
        row = next(line for line in told().splitlines() if line.startswith(f"| `{split}`: start"))
        start = next(s for s in verdict.standings if s.candidate == result.start.id)
        best = max(s.estimate for s in verdict.standings)
        assert row.split("|")[COLUMN[name]].strip() == f"{start.estimate:.3f}, {best:.3f}"


def test_what_was_not_recorded_is_an_error(tmp_path: Path) -> None:
    module = case_studies()
    file = tmp_path / "calls.jsonl"
    lines = (PLACE / "recorded" / "gepa.writer.jsonl").read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[1:]))
    client = module.Recorded(file)
    asked = json.loads(lines[0])["request"]
    request = Request((Message("user", asked["messages"][0]["content"]),), seed=asked["seed"])
    with pytest.raises(SetupError, match="was not recorded"):
        asyncio.run(client.complete(request))
    assert asyncio.run(module.Recorded(_written(tmp_path, lines)).complete(request)).text


def _written(folder: Path, lines: list[bytes]) -> Path:
    file = folder / "whole.jsonl"
    file.write_bytes(b"".join(lines))
    return file
