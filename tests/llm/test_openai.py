"""The client of OpenAI-compatible endpoints, against one that fails in every way."""

from types import SimpleNamespace

import pytest
from tests.llm.calls import ask, ask_one, client_of
from tests.llm.endpoint import Endpoint, word
from tests.llm.faketime import FakeTime

from optimand.core.errors import SetupError
from optimand.core.record import NOTHING, Usage
from optimand.llm import Price
from optimand.llm.failures import body_text
from optimand.testing.clients import CLIENT_CLAUSES

PRICE = Price(1.0, 2.0)


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
    settings = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "seed": 3}
    with Endpoint() as endpoint:
        reply = ask_one(client_of(endpoint, price=PRICE), stop=("\n",), **settings)
    assert (reply.text, reply.status, reply.finish) == ("water", "ok", "stop")
    assert reply.usage == Usage(1, 3, 1, pytest.approx(5e-6))
    assert endpoint.requests == [
        {
            "model": "m",
            "messages": [
                {"role": "user", "content": "Is water wet?"},
            ],
            "stop": ["\n"],
            **settings,
        }
    ]


@pytest.mark.parametrize(
    "fault", [429, 500, 503, "hang", "drop", "cut", "garbage", "empty", "error_within"]
)
def test_a_failure_is_tried_again_and_charged_only_if_billed(fault):
    time = FakeTime()
    with Endpoint(faults=[fault]) as endpoint:
        patience = 0.5 if fault == "hang" else 10.0
        reply = ask_one(client_of(endpoint, time, attempt_timeout=patience, price=PRICE))
    assert (reply.status, reply.text, len(endpoint.requests)) == ("ok", "water", 2)
    assert reply.usage == priced(endpoint.bill)
    assert endpoint.bill.calls == (2 if fault in ("garbage", "empty") else 1)
    assert (time.now >= 2.0) == (fault == 429)  # as its Retry-After asks


@pytest.mark.parametrize("fault", [500, "drop", "garbage"])
def test_a_service_that_stays_down_is_unknown(fault):
    with Endpoint(always=fault) as endpoint:
        reply = ask_one(client_of(endpoint, attempts=3))
    assert (reply.status, len(endpoint.requests)) == ("unknown", 3)
    assert "tried 3 times" in reply.error
    assert reply.usage == endpoint.bill


def test_no_connection_is_unknown():
    with Endpoint() as endpoint:
        pass
    reply = ask_one(client_of(endpoint, attempts=2))
    assert (reply.status, reply.usage) == ("unknown", NOTHING)
    assert "the connection failed" in reply.error


def test_a_pause_longer_than_the_patience_ends_the_call():
    time = FakeTime()
    with Endpoint(always=429) as endpoint:
        first, second = ask(client_of(endpoint, time, total=1.5), "?", "?")
    assert (first.status, second.status, len(endpoint.requests)) == ("unknown", "unknown", 1)
    assert "longer pause" in second.error
    assert time.slept == []


def test_a_refused_request_is_invalid_and_not_tried_again():
    with Endpoint(faults=[400, 422]) as endpoint:
        replies = ask(client_of(endpoint), "?", "?")
        assert [reply.status for reply in replies] == ["invalid", "invalid"]
        assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("fault", "status", "said"), [("utf16", "ok", "wéll"), ("utf16_refusal", "invalid", "nö")]
)
def test_a_wrong_name_of_the_encoding_does_no_harm(fault, status, said):
    with Endpoint(always=fault) as endpoint:
        reply = ask_one(client_of(endpoint))
    assert reply.status == status
    assert said in reply.text + reply.error


@pytest.mark.parametrize("fault", ["long", "bomb", "bomb_refusal", "twice", "broken"])
def test_an_answer_that_no_service_would_give(fault):
    with Endpoint(always=fault) as endpoint:
        reply = ask_one(client_of(endpoint))
    assert (reply.status, len(endpoint.requests)) == ("invalid", 1)
    assert "longer than 33,554,432 bytes" in reply.error or "compressed" in reply.error
    assert reply.usage == endpoint.bill


def test_a_packed_answer_is_unpacked():
    with Endpoint(always="packed") as endpoint:
        assert ask_one(client_of(endpoint)).text == "water"


def test_an_address_that_sends_on_is_not_followed():
    with (
        Endpoint(always="circle") as endpoint,
        pytest.raises(SetupError, match=r"sends on to /v1/chat/completions\. The address http"),
    ):
        ask_one(client_of(endpoint))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xff\xfe\x00", "ÿþ\x00"),
        ("né".encode("latin-1"), "né"),
        ("né".encode("utf-16"), "né"),
        (b"", ""),
    ],
)
def test_every_body_is_some_text(data, text):
    response = SimpleNamespace(content=data, text=data.decode("latin-1"))
    assert body_text(response) == text
