"""The example's search, on a scripted model that answers only where it is told to be brief."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from optimand import Budget
from optimand.core.model import Request
from optimand.llm.scripted import Scripted

BUDGET = Budget(rollouts=640)
PLACE = Path(__file__).parents[2] / "examples" / "improve_prompt.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("improve_prompt_example", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def pirate(answers: dict[str, str]) -> Any:
    def reply(request: Request) -> str:
        system = request.messages[0].content
        brief = re.search("brief|only the answer|one line|single word|nothing else|hurry", system)
        return answers[request.messages[-1].content] if brief else "Arr! Once upon a time"

    return reply


def answers_of(example: ModuleType) -> dict[str, str]:
    every = [e for split in example.questions().values() for e in split]
    return {e.input["question"]: e.target[0] for e in every}


def test_it_finds_what_helps_proves_it_and_resumes(example: ModuleType, tmp_path: Path) -> None:
    store, calls = str(tmp_path / "s.db"), []
    reply = pirate(answers_of(example))

    def counted(request: Request) -> str:
        calls.append(1)
        return str(reply(request))

    results = [example.search(Scripted(counted, name="pirate"), store, BUDGET) for _ in range(2)]
    assert results[0].proven
    assert results[0].best == results[1].best
    assert len(calls) == results[0].spent["rollouts"] <= 640
    text = example.told(results[0])
    assert "is proven better than start" in text
    assert f"found:  {example.START.system} " in text
    assert "unseen questions" in text


def test_it_is_honest_where_nothing_helps(example: ModuleType, tmp_path: Path) -> None:
    result = example.search(
        Scripted(lambda request: "Arr!", name="deaf"), str(tmp_path / "s.db"), BUDGET
    )
    assert not result.proven
    assert "Not certified" in example.told(result)


def test_questions_are_kept_apart(example: ModuleType) -> None:
    splits = example.questions()
    ids = [{e.id for e in split} for split in splits.values()]
    assert sum(map(len, ids)) == len(set.union(*ids)) == 160
