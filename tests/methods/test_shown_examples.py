"""No model is shown an input of the examples that choose (val) or prove (test)."""

from __future__ import annotations

import re

import pytest
from tests.methods.benches import token_editor, tokens_task

from optimand import Budget, improve
from optimand.core.model import Request
from optimand.llm.scripted import Scripted
from optimand.tasks.splitting import search_splits


@pytest.mark.parametrize("name", ["grace", "mocha", "polca"])
def test_only_training_inputs_are_shown(name: str) -> None:
    shown: set[int] = set()
    editor = token_editor()

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        shown.update(int(n) for n in re.findall(r'"n": (\d+)', text))
        return str(editor._function(request))

    improve(
        "start",
        tokens_task(),
        method={"type": name, "steps": 25},
        proposer=Scripted(answer, name="watched"),
        budget=Budget(rollouts=1500),
    )
    train = {example.input["n"] for example in search_splits(tokens_task(), 0)["train"]}
    assert len(shown) >= 5
    assert shown <= train
