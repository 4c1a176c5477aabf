"""From a client's name to a client."""

import subprocess
import sys

import pytest

import optimand.llm
from optimand.core.errors import InputError, SetupError
from optimand.llm import Embedded, Mailbox, OpenAIClient, Recorder, Replay, connect

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_each_kind(tmp_path):
    (tmp_path / "calls.jsonl").touch()
    assert isinstance(connect("embedded"), Embedded)
    assert isinstance(connect("openai:gpt-4o-mini"), OpenAIClient)
    assert isinstance(connect("mailbox:box", folder=tmp_path), Mailbox)
    assert isinstance(connect("replay:calls.jsonl", folder=tmp_path), Replay)
    assert isinstance(connect(f"replay:{tmp_path}/calls.jsonl", folder="elsewhere"), Replay)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        (f"openai:llama3:8b@{URL}", "openai:llama3:8b@127.0.0.1:9/v1"),
        (f"openai:@cf/meta/llama@{URL}", "openai:@cf/meta/llama@127.0.0.1:9/v1"),
        ("openai:claude@2024", "openai:claude@2024"),
        ("openai:m@https://h/v1", "openai:m@h/v1"),
        ("mailbox:here/box", "mailbox:box"),
    ],
)
def test_names(spec, name):
    assert connect(spec).name == name


def test_options_reach_the_client(tmp_path):
    client = connect(
        "openai:m",
        base_url=URL,
        key_env="OPENAI_API_KEY",
        width=3,
        attempts=2,
        total_timeout=5,
        price={"input": 1, "output": 2.5},
    )
    assert (client.name, client.width) == ("openai:m@127.0.0.1:9/v1", 3)
    assert client.prices == "given: 1 in, 2.5 out per million tokens"
    assert (client._retries.attempts, client._retries.total_timeout) == (2, 5)
    assert connect("mailbox:box", width=2, poll=0.5).width == 2
    recorder = connect("openai:m", folder=tmp_path, record="calls.jsonl")
    assert isinstance(recorder, Recorder)
    assert recorder.prices.startswith("genai-prices ")


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        ("opnai:gpt", {}, "Did you mean 'openai'"),
        ("gpt-4o-mini", {}, "there is embedded, openai, mailbox, replay"),
        ("", {}, "no client ''"),
        ("openai", {}, "Write openai:MODEL"),
        ("openai:", {}, "Write openai:MODEL"),
        (f"openai:@{URL}", {}, "names no model"),
        ("mailbox: ", {}, "Write mailbox:FOLDER"),
        ("embedded:135M", {}, "Write embedded"),
        ("openai:m", {"base_ulr": URL}, "Did you mean 'base_url'"),
        ("openai:m", {"api_key": "x"}, "no option 'api_key'"),
        ("embedded", {"width": 2}, "no option 'width'"),
        ("openai:m", {"width": "2"}, "width must be a whole number, not '2'"),
        ("openai:m", {"width": True}, "width must be a whole number"),
        ("openai:m", {"width": 0}, "width must be above 0"),
        ("openai:m", {"total_timeout": float("nan")}, "total_timeout must be above 0"),
        ("openai:m", {"price": {"input": 1}}, "'input' and 'output'"),
        ("openai:m", {"price": {"input": 1, "output": -1}}, "price: output is -1"),
        ("openai:m", {"base_url": "h/v1"}, "http"),
        ("replay:nothing.jsonl", {}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_said(spec, options, said):
    with pytest.raises(InputError, match=said):
        connect(spec, **options)


def test_a_missing_key_names_its_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SetupError, match="Put it in the environment as OPENAI_API_KEY"):
        connect("openai:gpt-4o-mini")
    with pytest.raises(SetupError, match="MY_KEY"):
        connect("openai:gpt-4o-mini", key_env="MY_KEY")
    assert connect(f"openai:m@{URL}").width == 8  # a server of one's own needs none


def test_every_name_loads():
    for name in optimand.llm.__all__:
        assert getattr(optimand.llm, name).__name__ == name
    with pytest.raises(AttributeError, match="Embeded"):
        optimand.llm.Embeded  # noqa: B018


def test_connecting_loads_no_sdk():
    code = (
        "import sys; from optimand.llm import connect; connect('openai:m');"
        "print({'openai', 'genai_prices', 'httpx2', 'httpx'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
