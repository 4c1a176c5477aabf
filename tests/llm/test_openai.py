"""The client of OpenAI-compatible endpoints, against one that fails in every way."""

import asyncio
import logging

import pytest
from tests.llm.endpoint import KEY, Endpoint, word
from tests.llm.faketime import FakeTime

from optimand.core.errors import InputError, SetupError
from optimand.core.model import Message, Request
from optimand.core.record import NOTHING, Usage
from optimand.llm import OpenAIClient, Price
from optimand.testing.clients import CLIENT_CLAUSES


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def client_of(endpoint, time=None, model="m", attempt_timeout=10.0, attempts=5, **settings):
    retries = (time or FakeTime()).retries(attempt_timeout=attempt_timeout, attempts=attempts)
    settings = {"key_env": "TEST_KEY", "price": Price(1.0, 2.0)} | settings
    return OpenAIClient(model, base_url=endpoint.url, retries=retries, **settings)


def ask(client, *requests, **settings):
    """The replies to these requests in turn, or the one to a short question."""
    short = Request((Message("user", "Is water wet?"),), **settings)

    async def work():
        try:
            return [await client.complete(request) for request in requests or (short,)]
        finally:
            await client.close()

    replies = asyncio.run(work())
    return replies if requests else replies[0]


def priced(usage):
    """The endpoint's bill at the test's prices."""
    return Usage(
        usage.calls,
        usage.input_tokens,
        usage.output_tokens,
        pytest.approx((usage.input_tokens + 2 * usage.output_tokens) / 1e6),
        usage.unpriced,
    )


def writes_prose(body):
    """The answer of an endpoint that takes no notice of the form asked for."""
    asked = str(body["messages"][-1])
    if "grade" in asked:
        return 'Sure:\n```json\n{"grade": 3}\n```'
    return "Answer: **yes**, I think." if "yes" in asked else "water"


def refuses_forms(body):
    if "response_format" in body:
        return 400, "response_format json_schema is not supported"
    return writes_prose(body)


@pytest.mark.parametrize("clause", CLIENT_CLAUSES, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize(
    "answer", [word, writes_prose, refuses_forms], ids=lambda answer: answer.__name__
)
def test_contract(answer, clause):
    with Endpoint(answer) as endpoint:
        clause(lambda: client_of(endpoint))


def test_what_is_sent_and_read():
    with Endpoint() as endpoint:
        chat = (Message("system", "Be brief."), Message("user", "Is water wet?"))
        settings = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "seed": 3}
        (reply,) = ask(client_of(endpoint), Request(chat, stop=("\n",), **settings))
    assert (reply.text, reply.status, reply.finish) == ("water", "ok", "stop")
    assert reply.usage == Usage(1, 5, 1, pytest.approx(7e-6))
    assert endpoint.requests == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Is water wet?"},
            ],
            "stop": ["\n"],
            **settings,
        }
    ]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "fault", [429, 500, 503, "hang", "drop", "cut", "garbage", "empty", "error_within"]
)
def test_a_failure_is_tried_again_and_charged_only_if_billed(fault):
    time = FakeTime()
    with Endpoint(faults=[fault]) as endpoint:
        reply = ask(client_of(endpoint, time, attempt_timeout=0.5 if fault == "hang" else 10.0))
    assert (reply.status, reply.text, len(endpoint.requests)) == ("ok", "water", 2)
    assert reply.usage == priced(endpoint.bill)
    assert endpoint.bill.calls == (2 if fault in ("garbage", "empty") else 1)
    assert (time.now >= 2.0) == (fault == 429)  # as its Retry-After asks


@pytest.mark.parametrize("fault", [500, "drop", "garbage"])
def test_a_service_that_stays_down_is_unknown(fault):
    with Endpoint(always=fault) as endpoint:
        reply = ask(client_of(endpoint, attempts=3))
    assert (reply.status, len(endpoint.requests)) == ("unknown", 3)
    assert "tried 3 times" in reply.error
    assert reply.usage == endpoint.bill


def test_no_connection_is_unknown():
    with Endpoint() as endpoint:
        pass
    reply = ask(client_of(endpoint, attempts=2))
    assert (reply.status, reply.usage) == ("unknown", NOTHING)
    assert "the connection failed" in reply.error


def test_a_pause_longer_than_the_patience_ends_the_call():
    time = FakeTime()
    with Endpoint(always=429) as endpoint:
        client = client_of(endpoint, time)
        client._retries = time.retries(total_timeout=1.5)
        short = Request((Message("user", "?"),))
        first, second = ask(client, short, short)
    assert (first.status, second.status, len(endpoint.requests)) == ("unknown", "unknown", 1)
    assert "longer pause" in second.error
    assert time.slept == []


def test_a_refused_request_is_invalid_and_not_tried_again():
    with Endpoint(faults=[400, 422]) as endpoint:
        client = client_of(endpoint)
        assert [ask(client).status, ask(client).status] == ["invalid", "invalid"]
        assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, ["TEST_KEY"]), (403, ["TEST_KEY"]), (404, ["openai:m@", "model's name"])],
)
def test_what_the_user_must_mend_is_an_error_that_names_it(status, words):
    with Endpoint(faults=[status]) as endpoint, pytest.raises(SetupError) as caught:
        ask(client_of(endpoint))
    assert all(word in str(caught.value) for word in words)
    assert KEY not in str(caught.value)
    assert len(endpoint.requests) == 1


def test_a_part_of_the_key_that_the_service_quotes_is_not_shown():
    said = f"Incorrect API key provided: {KEY[:8]}****{KEY[-4:]}"
    with Endpoint(lambda body: (401, said)) as endpoint, pytest.raises(SetupError) as caught:
        ask(client_of(endpoint))
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
            shown = repr(ask(client))
        except SetupError as error:
            shown = repr((error, error.__cause__, error.__context__))
    assert any(KEY in header["authorization"] for header in endpoint.headers)
    assert KEY not in f"{shown} {client!r} {vars(client)} {client.name} {caplog.text}"


def test_a_key_goes_to_its_own_address_only(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint() as endpoint:
        assert ask(client_of(endpoint, key_env=None)).status == "ok"
    assert KEY not in str(endpoint.headers)


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
