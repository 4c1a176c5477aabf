import asyncio
import json

import pytest

from optimand.artifacts.policy import Policy
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.model import Reply
from optimand.evaluation.judges import Margin, MemoryDesk, Pairwise
from optimand.tasks.study import load_study, study_schema

FULL = """\
name: capitals
models:
  small: openai:small
  big: openai:big
policies:
  - name: short
    model: small
    prompt: "{q}"
    temperature: 0.5
    stop: "\\n"
    parser: {type: number, which: first}
    turns:
      - {user: hi, assistant: "no"}
  - name: long
    model: small
    prompt: "Think. {q}"
    system: Be careful.
examples: data/e.jsonl
judge: {type: pairwise, model: big, order: both}
confidence: 0.9
budget: {calls: 100, usd: 2}
indifference: 0.02
strategy: duel
seed: 4
store: runs.db
population: whole
"""

SHORT = """\
policies:
  - {name: a, model: "openai:x", prompt: "{q}"}
  - {name: b, model: "openai:x", prompt: "Q {q}"}
examples:
  - {q: one, target: 1}
  - {q: two, target: 2}
judge: exact
"""


def write(folder, text, name="study.yaml"):
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "e.jsonl").write_text('{"id": "e", "input": {"q": "x"}, "target": "no"}\n')
    path = folder / name
    path.write_text(text)
    return path


class Client:
    width = 1

    def __init__(self, spec):
        self.name = spec

    async def complete(self, request):
        return Reply(request.messages[-1].content)

    async def close(self):
        pass


def test_everything_a_study_says(tmp_path):
    study = load_study(write(tmp_path, FULL))
    assert study.name == "capitals"
    assert list(study.policies) == ["short", "long"]
    assert study.policies["short"] == Policy(
        "small",
        "{q}",
        turns=(("hi", "no"),),
        temperature=0.5,
        stop=("\n",),
        parser={"type": "number", "which": "first"},
    )
    assert study.budget == Budget(calls=100, usd=2.0)
    assert (study.confidence, study.indifference, study.seed) == (0.9, 0.02, 4)
    assert (study.strategy, study.population) == ("duel", "whole")
    assert study.store == str(tmp_path / "runs.db")
    assert study.examples[0].target == "no"
    assert [c.name for c in study.candidates()] == ["short", "long"]
    assert study.warnings == ()


def test_defaults(tmp_path):
    study = load_study(str(write(tmp_path, SHORT)))
    assert (study.name, study.confidence, study.budget) == ("study", 0.95, Budget())
    assert (study.strategy, study.seed, study.population) == (None, 0, "sample")
    assert study.store == str(tmp_path / "optimand.db")
    assert study.models == {"openai:x": "openai:x"}


def test_a_task_has_the_clients_in_use(tmp_path):
    path = write(tmp_path, FULL.replace("models:\n", "models:\n  unused: openai:z\n"))
    task = load_study(path).task(connect=Client)
    assert {name: c.name for name, c in task.clients.items()} == {
        "small": "openai:small",
        "big": "openai:big",
    }
    assert isinstance(task.judge, Pairwise)
    assert task.judge.client is task.clients["big"]
    assert (task.name, task.population) == ("capitals", "whole")


def test_a_task_runs(tmp_path):
    study = load_study(write(tmp_path, SHORT))
    task = study.task(connect=Client)
    record = asyncio.run(task.execute(study.candidates()[1], study.examples[0], 0))
    assert record.output == "Q one"
    assert all(task.check(c.artifact) == [] for c in study.candidates())


def test_grid_with_one_model_and_a_policy(tmp_path):
    text = """\
models: {m: openai:m}
policies: [{name: plain, prompt: "{q}"}]
grid:
  prompts: {short: "{q}!", long: "Think. {q}"}
  temperatures: [0, 1]
  max_tokens: 9
examples: [{q: one, target: 1}]
judge: {type: margin, score: {type: exact}}
"""
    study = load_study(write(tmp_path, text))
    assert list(study.policies) == ["plain", "short, t=0", "short, t=1", "long, t=0", "long, t=1"]
    assert study.policies["long, t=1"] == Policy("m", "Think. {q}", temperature=1, max_tokens=9)
    assert isinstance(study.task(connect=Client).judge, Margin)


def test_grid_over_models_without_a_models_section(tmp_path):
    text = """\
grid: {models: ["openai:a", "openai:b"], prompt: "{q}"}
examples: [{q: one, target: 1}]
judge: exact
"""
    study = load_study(write(tmp_path, text))
    assert [p.model for p in study.policies.values()] == ["openai:a", "openai:b"]
    assert set(study.task(connect=Client).clients) == {"openai:a", "openai:b"}


def test_judges_of_the_users_code_and_of_people(tmp_path):
    (tmp_path / "scoring.py").write_text("def score(output, example):\n    return 0.25\n")
    path = write(
        tmp_path,
        SHORT.replace("judge: exact", "judge: {type: function, function: 'scoring:score'}"),
    )
    study = load_study(path)
    task = study.task(connect=Client)
    record = asyncio.run(task.execute(study.candidates()[0], study.examples[0], 0))
    assert task.judge.score(study.examples[0], record, 0).value == 0.25
    human = load_study(write(tmp_path, SHORT.replace("exact", "human")))
    assert human.task(connect=Client, desk=MemoryDesk()).judge.name == "human"
    with pytest.raises(InputError, match="needs a desk"):
        human.task(connect=Client)


def test_a_database_url_is_kept_and_never_shown(tmp_path):
    url = "postgresql://me:secret@host/db"
    study = load_study(write(tmp_path, SHORT + f"store: {url}\n"))
    assert study.store == url
    assert "secret" not in repr(study)


def test_warnings_carry_their_line(tmp_path):
    study = load_study(write(tmp_path, SHORT.replace("q: one,", "q: one, hint: x,")))
    assert study.warnings == (
        "study.yaml line 1: no policy uses the input field 'hint'. "
        "Add {hint} to a prompt, or drop the field.",
    )


def test_no_policies(tmp_path):
    with pytest.raises(InputError, match="no policies"):
        load_study(write(tmp_path, "examples: [a]\njudge: exact\n"))


def test_examples_without_a_target_are_refused_before_a_call(tmp_path):
    study = load_study(write(tmp_path, SHORT.replace(", target: 2", "")))
    with pytest.raises(InputError, match="has no target"):
        study.task(connect=Client)


def test_schema_is_json_and_knows_the_fields():
    schema = json.loads(json.dumps(study_schema()))
    assert {"policies", "grid", "models", "examples", "judge", "budget"} <= set(
        schema["properties"]
    )
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["examples", "judge"]
