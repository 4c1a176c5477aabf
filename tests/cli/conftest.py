import json
import random
import sys
import textwrap

import pytest
from typer.testing import CliRunner

import optimand.llm
from optimand.cli.app import app
from optimand.llm.scripted import Scripted

RATES = {"good": 0.9, "poor": 0.2, "odd": 0.3}

STUDY = """
name: words
models: {m: embedded}
examples:
  - {input: one, target: "yes"}
  - {input: two, target: "yes"}
judge: exact
store: words.db
seed: 3
policies:
  - {name: good, system: good, prompt: "{input}", temperature: 1}
  - {name: poor, system: poor, prompt: "{input}", temperature: 1}
  - {name: odd, system: odd, prompt: "{input}", temperature: 1}
"""


def reply(request):
    """Right with the rate of the system prompt, drawn from what was asked."""
    said = {m.role: m.content for m in request.messages}
    draw = random.Random(f"{said['system']} {said['user']} {request.seed}").random()
    return "yes" if draw < RATES.get(said["system"], 0.5) else "=no"


@pytest.fixture
def client(monkeypatch):
    """Every model of a study file is this script; set `.reply` to change what it says."""
    state = type("State", (), {"reply": staticmethod(reply), "width": 1})()

    def connect(spec, **options):
        return Scripted(
            lambda request: state.reply(request), name=f"scripted {spec}", width=state.width
        )

    monkeypatch.setattr(optimand.llm, "connect", connect)
    monkeypatch.setattr(sys.modules["optimand.llm.connect"], "stand_in", connect)
    return state


@pytest.fixture
def study(tmp_path, client):
    """A study file with a pool of 300 examples; call it with replacements to change its text."""

    def make(*changes, name="study.yaml"):
        rows = [{"input": f"question {i}", "target": "yes"} for i in range(300)]
        (tmp_path / "examples.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        text = textwrap.dedent(STUDY)
        inline = text[text.index("examples:") : text.index("judge:")]
        text = text.replace(inline, "examples: examples.jsonl\n")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command in a folder of its own; a text that was not meant for it is an error."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def invoke(*arguments, code=0, typed=None):
        done = runner.invoke(app, [str(a) for a in arguments], input=typed)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done

    return invoke
