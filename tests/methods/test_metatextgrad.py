"""metaTextGrad: the outer loop finds the editor that helps."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.methods.benches import TOKENS, token_editor, tokens_task

from optimand import Budget, improve
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

WORDS = ("haste", "checklist", "humour", "length")
PART = re.compile(r'<part name="value">\n(.*?)\n</part>', re.DOTALL)
Edit = Callable[[str, list[str], str], str]


def editor(edit: Edit) -> Scripted:
    """Answers with `edit(instruction, missing tokens, text)`."""

    def answer(request: Request) -> str:
        text = request.messages[0].content
        instruction = text.partition("## the kind of change\n")[2].partition("\n\n##")[0]
        base = PART.findall(text)[-1]
        written = edit(instruction, re.findall(r"missing (t\d+)", text), base)
        return f'<part name="value">\n{written}\n</part>'

    return Scripted(answer, name="editor")


def by_keyword(instruction: str, missing: list[str], text: str) -> str:
    return " ".join([text, *missing] if "checklist" in instruction else [text, "junk"])


def in_order(instruction: str, missing: list[str], text: str) -> str:
    """One editor prepares, the other fills in what was prepared."""
    if "case by case" in instruction:
        return f"{text} frame"
    return " ".join([text, *missing] if "frame" in text.split() else [text, "junk"])


def meta(
    seen: list[str] | None = None, order: Sequence[str] = (), words: Sequence[str] = WORDS
) -> Scripted:
    def answer(request: Request) -> str:
        text = request.messages[0].content
        if seen is not None:
            seen.append(text)
        word = random.Random(request.seed).choice(words)
        if "## editors" in text:
            return json.dumps({"order": list(order), "instruction": "" if order else word})
        return json.dumps({"instruction": f"Think of {word}, {{always}}."})

    return Scripted(answer, name=f"meta-{order}-{words}")


def run(proposer: Scripted, coach: Scripted, seed: int = 0, **options: Any) -> ImproveResult:
    return improve(
        "start",
        tokens_task(),
        method={"type": "metatextgrad", **options},
        proposer={"proposer": proposer, "meta": coach},
        budget=Budget(rollouts=4000),
        seed=seed,
    )


def found(result: ImproveResult) -> float:
    return result.search.standings[0].estimate


def test_the_outer_loop_finds_the_keyword_without_which_no_editor_helps() -> None:
    for seed in range(3):
        result = run(editor(by_keyword), meta(), seed)
        assert result.proven
        assert len(set(TOKENS) & set(result.best.artifact.parts["value"].split())) >= 10
    blind = run(editor(by_keyword), meta(), prompts=0, structures=0)
    assert found(blind) == 0.0


def test_the_order_of_a_composition_matters() -> None:
    options = {"prompts": 0, "structures": 1, "inner": 1, "steps": 0}
    right = run(editor(in_order), meta(order=("gradient", "redesign")), **options)
    wrong = run(editor(in_order), meta(order=("redesign", "gradient")), **options)
    assert found(right) > 0.1
    assert found(wrong) == 0.0
    assert right.proven


def test_what_meta_is_shown() -> None:
    seen: list[str] = []
    run(editor(by_keyword), meta(seen), prompts=2, structures=1, steps=0)
    assert len(seen) == 5
    assert "case by case" in seen[0]
    assert "missing t" in seen[0]
    assert '<part name="value">\nstart\n</part>' in seen[0]
    assert "### gradient: score" in seen[4]
    assert "### redesign: score" in seen[4]
    assert "missing t" not in seen[4]


def test_what_meta_writes_is_quoted_and_no_template() -> None:
    prompts: list[str] = []

    def watch(instruction: str, missing: list[str], text: str) -> str:
        prompts.append(instruction)
        return f"{text} junk"

    run(editor(watch), meta(words=("{current} {parts}",)), prompts=1, structures=0, steps=0)
    assert "Think of {current} {parts}, {always}." in prompts


def test_inner_runs_are_paid_from_the_same_budget() -> None:
    result = run(editor(by_keyword), meta(), prompts=1, structures=0, inner=2, steps=0)
    # Two editors and one rewrite of each, with two edits each; and two calls of meta.
    assert result.spent["calls"] == 2 * 2 * 2 + 2


def test_hybrids_and_unknown_names() -> None:
    hybrid = run(editor(by_keyword), meta(words=("checklist",)), prompts=0, structures=1)
    assert hybrid.proven
    unknown = run(editor(by_keyword), meta(order=("nobody",)), prompts=0, structures=2)
    assert found(unknown) == 0.0
    assert unknown.reasons["no composition could be read"] == 2


def test_meta_that_says_nothing_of_use_leaves_the_bases() -> None:
    result = run(token_editor(junk=0.3), token_editor(junk=1.0))
    assert result.reasons["no instructions could be read"] == 10
    assert result.proven
