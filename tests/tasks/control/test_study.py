"""A study file of control, from the command line, with a scripted writer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_examples import ROOT, blocks
from typer.testing import CliRunner

from optimand.cli.app import app
from optimand.core.errors import InputError
from optimand.evaluation.sandbox import probe
from optimand.llm import connect as connecting
from optimand.llm.scripted import Scripted
from optimand.tasks.improve_study import load_improve_study

EXAMPLES = ROOT / "examples" / "control"
PHYSICS = ("point-maze", "swimmer", "reacher", "half-cheetah", "meta-world")
WORKS = any(not why for name, why in probe().items() if name != "unprotected")
needs_sandbox = pytest.mark.skipif(not WORKS, reason="no sandbox works here")

GOOD = "def act(o):\n    return int(o[2] + 0.5 * o[3] + 0.05 * o[0] + 0.1 * o[1] > 0)"
POOR = "def act(o):\n    return 0"
BROKEN = "def act(o):\n    return o[9]"
SUMMARY = "def summarise(seen):\n    return f'last angle {seen[-1][2]:.2f}'"


def writer() -> Any:
    """First a summary; of policies first a poor one, then a broken one, then a good one."""
    drawn = iter([POOR, BROKEN])

    def answer(request: Any) -> str:
        text = request.messages[-1].content
        if "summarise(observations)" in text:
            return f'<part name="summary">\n{SUMMARY}\n</part>'
        if "three or four sentences" in text:
            return "It fell at once."
        if "what went wrong" in text:
            assert "IndexError" in text
            return f'<part name="policy">\n{GOOD}\n</part>'
        return f'<part name="policy">\n{next(drawn, GOOD)}\n</part>'

    return Scripted(answer, name="writer")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (text,) = [
        t for classes, _, t in blocks(ROOT / "docs" / "control.md") if "control-study" in classes
    ]
    path = tmp_path / "cartpole.yaml"
    path.write_text(text)
    monkeypatch.setattr("optimand.llm.connect", lambda spec, **_: writer())
    return path


@needs_sandbox
def test_the_study_of_the_page_runs_from_the_command_line(study: Path) -> None:
    report = study.with_name("out.html")
    ran = CliRunner().invoke(app, ["improve", str(study), "--report", str(report), "--json"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert found["proven"] is True
    assert found["best_parts"]["policy"] == GOOD
    assert found["best_parts"]["summary"] == SUMMARY
    assert 0 < found["spent"]["steps"] <= 60_000
    page = report.read_text()
    assert re.search(r'<img class="film" src="data:image/png;base64,iVBOR[A-Za-z0-9+/=]+"', page)
    assert "Mean score on train" in page
    again = CliRunner().invoke(app, ["improve", str(study), "--json"])
    assert json.loads(again.stdout)["spent"]["steps"] == found["spent"]["steps"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("CartPole-v1", "CartPool-v1"), "could not be made"),
        (("scale: [0, 500]", "scale: [5, 5]"), "low must be below high"),
        (("scale: [0, 500]", "success: 3"), "success"),
        (("scale: [0, 500]", "colour: red"), "colour"),
        (
            ("  proposer: writer", "  artifact: {policy: 'x = 1'}\n  proposer: writer"),
            "no function",
        ),
        (("CartPole-v1", "no_module:make"), "no_module"),
        (("scale: [0, 500]", "scale: [0, 500]\n    sandbox: docker"), "no sandbox 'docker'"),
    ],
)
def test_faults_are_told_with_their_line(study: Path, change: tuple[str, str], words: str) -> None:
    study.write_text(study.read_text().replace(*change))
    with pytest.raises(InputError, match=r"cartpole.yaml line \d+") as caught:
        load_improve_study(study)
    assert words in str(caught.value)


@needs_sandbox
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_example_loads_and_is_worth_running(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path.stem.startswith(PHYSICS):
        pytest.importorskip("mujoco")
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    study = load_improve_study(path)
    task: Any = study.task()
    assert study.clients(connecting)["proposer"].name
    # The search's rounds, and 20 episodes of three candidates, fit into the budget.
    options: Any = study.method
    most = task.steps_per_run * options["rounds"] * options["width"] * options["episodes"]
    assert most <= 0.7 * study.budget.limits()["steps"]
    assert len(task.about) > 500
