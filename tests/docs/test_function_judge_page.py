"""The study with a function as judge runs as the page shows it."""

from pathlib import Path

from tests.docs.test_examples import ROOT, blocks

import optimand
from optimand.llm import Scripted
from optimand.tasks.study import load_study

PAGE = ROOT / "docs" / "judges.md"


def answer(request):
    question = request.messages[-1].content
    word = "banana" if "fruit" in question else "dog"
    return f"{word}." if "one word" in question else f"It is a {word}!"


def block(kind):
    (found,) = [text for classes, _, text in blocks(PAGE) if kind in classes]
    return found


def test_it_runs(tmp_path: Path):
    (tmp_path / "study.yaml").write_text(block("by-function"))
    (tmp_path / "checks.py").write_text(block("checks"))
    study = load_study(tmp_path / "study.yaml")
    task = study.task(connect=lambda spec, **options: Scripted(answer, name="small"))
    result = optimand.pick(study.candidates(), task, strategy=study.rule())
    assert result.best.name == "one word"
    scores = {result.names[s.candidate]: s.estimate for s in result.verdict.standings}
    assert scores == {"one word": 1.0, "plain": 0.25}
