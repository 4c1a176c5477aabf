"""The study file of the page about improving runs as it stands there."""

import importlib.util
import json
import re

from tests.docs.test_examples import ROOT, blocks

import optimand
from optimand.llm import Scripted
from optimand.tasks.improve_study import load_improve_study

PAGE = ROOT / "docs" / "improve.md"


def answer(request):
    said = {m.role: m.content for m in request.messages}
    if said["user"].startswith("question"):
        return "the manual" if "manual" in said["system"] else "no idea"
    shown = re.findall(r'<part name="system">\n(.*?)\n</part>', said["user"], re.DOTALL)
    return f'<part name="system">\n{shown[-1]} Look into the manual.\n</part>'


def test_it_loads_and_runs(tmp_path):
    (text,) = [text for classes, _, text in blocks(PAGE) if "improve-study" in classes]
    (tmp_path / "study.yaml").write_text(text)
    for name, count in (("train", 8), ("val", 8), ("test", 60)):
        rows = [{"input": f"question {name} {i}", "target": "Manual"} for i in range(count)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    study = load_improve_study(tmp_path / "study.yaml")
    assert not study.warnings
    assert study.budget == optimand.Budget(usd=5, rollouts=4000)

    def connect(spec, **options):
        return Scripted(answer, name=spec)

    result = optimand.improve(
        study.artifact,
        study.task(connect),
        method=study.method,
        proposer=study.clients(connect),
        change=study.change,
        budget=optimand.Budget(rollouts=4000),
        confidence=study.confidence,
        seed=study.seed,
    )
    assert result.proven
    assert "manual" in result.best.artifact.parts["system"]


def test_every_field_is_in_the_reference():
    spec = importlib.util.spec_from_file_location("hook", ROOT / "docs/hooks/reference.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = hook.fill((ROOT / "docs/reference/study.md").read_text())
    assert "## `improve`" in page
    assert "| `artifact` | mapping | required | The policy to start from. |" in page
    assert "| `run` | text | required |" in page
    assert "| `test` |" in page
    assert "## `optimand methods`" in hook.fill((ROOT / "docs/reference/cli.md").read_text())
