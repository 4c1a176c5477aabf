"""Keys and addresses: what is missing is said, and no key is ever shown."""

import logging

import pytest
from tests.llm import calls
from tests.llm.calls import ask_one
from tests.llm.endpoint import KEY, Endpoint

from optimand.core.errors import InputError, SetupError
from optimand.llm import OpenAIClient


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def client_of(endpoint, **settings):
    return calls.client_of(endpoint, **({"key_env": "TEST_KEY"} | settings))


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, ["TEST_KEY"]), (403, ["TEST_KEY"]), (404, ["openai:m@", "model's name"])],
)
def test_what_the_user_must_mend_is_an_error_that_names_it(status, words):
    with Endpoint(faults=[status]) as endpoint, pytest.raises(SetupError) as caught:
        ask_one(client_of(endpoint))
    assert all(word in str(caught.value) for word in words)
    assert KEY not in str(caught.value)
    assert len(endpoint.requests) == 1


def test_a_part_of_the_key_that_the_service_quotes_is_not_shown():
    said = f"Incorrect API key provided: {KEY[:8]}****{KEY[-4:]}"
    with Endpoint(lambda body: (401, said)) as endpoint, pytest.raises(SetupError) as caught:
        ask_one(client_of(endpoint))
    assert KEY[:8] not in str(caught.value)


def test_a_missing_or_broken_key_is_said_before_any_call(monkeypatch):
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        OpenAIClient("gpt-4o-mini")
    monkeypatch.setenv("TEST_KEY", "two words")
    with pytest.raises(SetupError, match="TEST_KEY holds characters") as caught:
        OpenAIClient("gpt-4o-mini", key_env="TEST_KEY")
    assert "two words" not in str(caught.value)


@pytest.mark.parametrize("fault", [None, 400, 401, 500])
def test_the_key_is_never_shown(fault, caplog):
    caplog.set_level(logging.DEBUG)
    with Endpoint(always=fault) as endpoint:
        client = client_of(endpoint, attempts=2)
        try:
            shown = repr(ask_one(client))
        except SetupError as error:
            shown = repr((error, error.__cause__, error.__context__))
    assert any(KEY in header["authorization"] for header in endpoint.headers)
    assert KEY not in f"{shown} {client!r} {vars(client)} {client.name} {caplog.text}"


def test_a_key_goes_to_its_own_address_only(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint() as endpoint:
        assert ask_one(client_of(endpoint, key_env=None)).status == "ok"
    assert KEY not in str(endpoint.headers)
    standard = OpenAIClient("m", base_url="https://api.openai.com/v1/")
    assert (standard.name, standard._key()) == ("openai:m", KEY)


@pytest.mark.parametrize("url", ["ftp://x/v1", "host/v1", "http://me:pw@host/v1", "http://h/?k=pw"])
def test_an_address_that_cannot_be_used_is_refused(url):
    with pytest.raises(InputError, match="base_url") as caught:
        OpenAIClient("m", base_url=url, key_env="TEST_KEY")
    assert "pw" not in str(caught.value)


def test_the_name_tells_model_and_address(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert OpenAIClient("gpt-4o-mini").name == "openai:gpt-4o-mini"
    assert OpenAIClient("m", base_url="http://h:1/v1/").name == "openai:m@h:1/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h:2/v1")
    assert OpenAIClient("m").name == "openai:m@h:2/v1"
