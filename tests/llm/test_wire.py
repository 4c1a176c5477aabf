"""Answers with status 200, good and bad: what they say and what they charge."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.model import Message, Reply, Request
from optimand.core.record import NOTHING, Usage
from optimand.llm.failures import Failure, status_failure, tidy
from optimand.llm.wire import body_of, encodable, reply_of

TOLD = {"prompt_tokens": 10, "completion_tokens": 2}
GOOD = {"choices": [{"message": {"content": "hi"}, "finish_reason": "length"}], "usage": TOLD}
UNTOLD = Usage(1, unpriced=1)


def tokens(inputs, outputs, cached):
    return Usage(1, inputs, outputs, usd=cached)


def read(body):
    return reply_of(body if isinstance(body, str) else json.dumps(body), tokens)


def test_a_good_answer():
    assert read(GOOD) == Reply("hi", usage=Usage(1, 10, 2), finish="length")


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        (None, UNTOLD),
        ({"prompt_tokens": 10}, UNTOLD),
        ({"prompt_tokens": -1, "completion_tokens": 2}, UNTOLD),
        ({"prompt_tokens": "10", "completion_tokens": 2}, UNTOLD),
        ({"prompt_tokens": 10**400, "completion_tokens": 2}, UNTOLD),
        ({**TOLD, "total_tokens": 10**30}, Usage(1, 10, 2)),
        ({**TOLD, "prompt_tokens_details": {"cached_tokens": 4}}, Usage(1, 10, 2, 4)),
        ({**TOLD, "prompt_tokens_details": {"cached_tokens": 400}}, Usage(1, 10, 2, 10)),
        ({**TOLD, "prompt_tokens_details": None, "total_tokens": 12}, Usage(1, 10, 2)),
        ({**TOLD, "total_tokens": 31}, Usage(1, 10, 21)),  # reasoning in the total only
    ],
)
def test_what_an_answer_charges(told, usage):
    assert read({**GOOD, "usage": told}).usage == usage


@pytest.mark.parametrize(
    ("body", "usage"),
    [
        ("{", UNTOLD),
        ("[" * 100_000, UNTOLD),
        ([], UNTOLD),
        ({}, UNTOLD),
        ({"choices": []}, UNTOLD),
        ({"choices": [], "usage": TOLD}, Usage(1, 10, 2)),
        ({"choices": "abc", "usage": TOLD}, Usage(1, 10, 2)),
        ({"choices": [{"message": None}], "usage": TOLD}, Usage(1, 10, 2)),
        ({"error": {"message": "later"}}, NOTHING),
        ({"error": {"message": "later", "code": 503}, "usage": TOLD}, Usage(1, 10, 2)),
        ({"choices": [{"message": {}, "error": {"code": 502}}], "usage": TOLD}, Usage(1, 10, 2)),
        ({"choices": [{"message": {}, "finish_reason": "error"}]}, UNTOLD),
    ],
)
def test_an_answer_without_a_reply_is_a_failure_to_try_again(body, usage):
    found = read(body)
    assert isinstance(found, Failure)
    assert (found.status, found.final, found.usage) == ("unknown", False, usage)
    assert found.problem


def test_an_error_within_an_answer_counts_as_its_status():
    assert read({"error": {"code": "429", "message": "slow"}}).overload
    assert read({"error": {"code": 401, "message": "who"}}).setup
    assert read({"error": {"code": 400, "message": "bad"}}).status == "invalid"


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NAMES = st.sampled_from(["choices", "message", "content", "usage", "error", "code", "refusal"])
JSON = st.recursive(LEAVES, lambda v: st.lists(v) | st.dictionaries(NAMES, v), max_leaves=20)


@given(st.text() | st.dictionaries(NAMES, JSON))
def test_anything_is_read_or_is_a_failure(body):
    found = read(body)
    assert isinstance(found, Reply | Failure)
    assert found.usage.calls <= 1


@pytest.mark.parametrize(
    ("code", "text", "status", "final", "setup", "overload"),
    [
        (400, "", "invalid", True, False, False),
        (402, "", "unknown", True, False, False),
        (403, "region", "unknown", True, True, False),
        (403, "flagged by moderation", "invalid", True, False, False),
        (408, "", "unknown", False, False, False),
        (422, "", "invalid", True, False, False),
        (429, "slow down", "unknown", False, False, True),
        (429, "You exceeded your quota, see billing", "unknown", True, False, False),
        (500, "", "unknown", False, False, False),
        (503, "", "unknown", False, False, True),
        (529, "", "unknown", False, False, True),
    ],
)
def test_what_a_status_means(code, text, status, final, setup, overload):
    found = status_failure(code, text)
    assert (found.status, found.final) == (status, final)
    assert (found.setup, found.overload) == (setup, overload)


def test_what_a_service_says_is_short_and_without_the_key():
    assert tidy("bad\n key  sk-12345", "sk-12345") == "bad key [key]"
    assert len(tidy("x" * 999, "")) == 300


def test_a_body_holds_only_what_was_set():
    request = Request((Message("user", "hi"),))
    assert body_of("m", request, ()) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
    }


@given(st.text(st.characters(categories=None)))
def test_text_can_always_be_sent(text):
    encodable(text).encode()
    if "\ufffd" not in encodable(text):
        assert encodable(text) == text
