"""Study files name clients, with options, and paths relative to the file."""

import asyncio

import pytest

from optimand.core.errors import InputError, SetupError
from optimand.core.model import Message, Request
from optimand.llm import Recorder, Scripted
from optimand.tasks.study import load_study

STUDY = """\
models:
  m: MODEL
policies:
  - {name: a, prompt: "{q}"}
  - {name: b, prompt: "Q {q}"}
examples:
  - {q: one, target: 1}
judge: exact
"""


def study_with(folder, model):
    path = folder / "study.yaml"
    path.write_text(STUDY.replace("MODEL", model))
    return load_study(path)


def record(path):
    client = Recorder(Scripted(lambda request: "water", name="it"), path)
    asyncio.run(client.complete(Request((Message("user", "?"),))))


def test_a_path_is_relative_to_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    record(tmp_path / "calls.jsonl")
    task = study_with(tmp_path, "replay:calls.jsonl").task()
    assert task.clients["m"].name.startswith("replay:it#")


def test_a_model_has_options(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-test-0123456789")
    monkeypatch.chdir("/")
    options = "{client: 'openai:x', base_url: 'http://h:1/v1', key_env: MY_KEY, width: 3}"
    client = study_with(tmp_path, options).task().clients["m"]
    assert (client.name, client.width) == ("openai:x@h:1/v1", 3)
    recorded = study_with(tmp_path, "{client: 'mailbox:box', record: calls.jsonl}").task()
    recorder = recorded.clients["m"]
    assert recorder._path == tmp_path / "calls.jsonl"
    assert recorder._client._folder == tmp_path / "box"


def test_a_client_of_the_users_own_gets_the_options(tmp_path):
    seen = []

    def connect(spec, **options):
        seen.append((spec, options))
        return Scripted(lambda request: "water")

    study_with(tmp_path, "mine").task(connect=connect)
    study_with(tmp_path, "{client: mine, level: 2}").task(connect=connect)
    assert seen == [("mine", {}), ("mine", {"level": 2})]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("opnai:x", r"study.yaml: model 'm': no client .* Did you mean 'openai'"),
        ("{client: embedded, widht: 2}", r"study.yaml: model 'm': .* no option 'widht'"),
        ("{name: x}", r"study.yaml line 2: no field 'client'"),
        ("{client: 3}", r"study.yaml line 2: no field 'client'"),
    ],
)
def test_faults_are_placed(tmp_path, model, said):
    with pytest.raises(InputError, match=said):
        study_with(tmp_path, model).task()


def test_a_missing_key_is_said_before_any_call(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        study_with(tmp_path, "openai:gpt-4o-mini").task()
