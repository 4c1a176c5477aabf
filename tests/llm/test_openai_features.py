"""What endpoints differ in: forms, fields they refuse, reasoning, how much they bear at once."""

import pytest
from tests.llm.calls import ask, client_of
from tests.llm.endpoint import Endpoint, word

from optimand.llm import Price

GRADE = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1}},
    "required": ["score"],
    "additionalProperties": False,
}


def refuses(field, said, answer=word):
    return lambda body: (400, said) if field in body else answer(body)


def test_a_schema_is_given_to_the_endpoint():
    with Endpoint() as endpoint:
        (reply,) = ask(client_of(endpoint), "Grade it.", schema=GRADE)
    assert (reply.status, reply.parsed, reply.usage.calls) == ("ok", {"score": 3}, 1)
    form = endpoint.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert (form["json_schema"]["schema"], form["json_schema"]["strict"]) == (GRADE, True)
    assert endpoint.requests[0]["messages"][0]["content"] == "Grade it."


def test_choices_are_given_to_the_endpoint():
    with Endpoint() as endpoint:
        (reply,) = ask(client_of(endpoint), "Wet?", choices=("yes", "no"))
    assert (reply.status, reply.parsed, reply.usage.calls) == ("ok", "yes", 1)


def test_an_endpoint_that_refuses_forms_is_told_in_words_from_then_on():
    answer = refuses("response_format", "Unsupported response_format", lambda body: '{"score": 4}')
    with Endpoint(answer) as endpoint:
        replies = ask(client_of(endpoint), "One.", "Two.", schema=GRADE)
    assert [reply.parsed for reply in replies] == [{"score": 4}] * 2
    assert [reply.usage.calls for reply in replies] == [1, 1]
    told = [body["messages"][0]["content"] for body in endpoint.requests]
    assert ["JSON schema" in text for text in told] == [False, True, True]


def test_a_wrong_form_is_repaired_once_and_both_calls_are_charged():
    texts = iter(['{"score": 0}', 'Sorry: {"score": 2}'])
    with Endpoint(lambda body: next(texts)) as endpoint:
        (reply,) = ask(client_of(endpoint, price=Price(1, 1)), "Grade it.", schema=GRADE)
    assert (reply.status, reply.parsed) == ("ok", {"score": 2})
    assert reply.usage.calls == endpoint.bill.calls == 2
    assert reply.usage.tokens == endpoint.bill.tokens
    repair = endpoint.requests[1]["messages"]
    assert [m["role"] for m in repair] == ["user", "assistant", "user"]
    assert "reply.score must be at least 1" in repair[2]["content"]
    assert repair[2]["content"].count("JSON schema") == 1


def test_a_form_that_is_never_kept_is_invalid_after_two_calls():
    with Endpoint(lambda body: "no idea") as endpoint:
        (reply,) = ask(client_of(endpoint), "Grade it.", schema=GRADE)
    assert (reply.status, reply.parsed, len(endpoint.requests)) == ("invalid", None, 2)
    assert "it holds no JSON value" in reply.error


@pytest.mark.parametrize("fault", [429, 500, "drop"])
def test_a_failing_repair_says_nothing_about_the_candidate(fault):
    with Endpoint(lambda body: "no idea", faults=["fine"]) as endpoint:
        endpoint.always = fault
        (reply,) = ask(client_of(endpoint), "Grade it.", schema=GRADE)
    assert reply.status == "unknown"
    assert reply.usage.calls == endpoint.bill.calls == 1


def test_max_tokens_takes_its_second_name_where_it_must():
    said = "Unsupported parameter: use 'max_completion_tokens' instead of 'max_tokens'."
    with Endpoint(refuses("max_tokens", said)) as endpoint:
        replies = ask(client_of(endpoint), "One.", "Two.", max_tokens=9)
    assert [reply.status for reply in replies] == ["ok", "ok"]
    assert len(endpoint.requests) == 3
    assert endpoint.requests[2]["max_completion_tokens"] == 9


def test_a_seed_is_left_out_where_it_is_refused():
    with Endpoint(refuses("seed", "Unknown field: seed")) as endpoint:
        (reply,) = ask(client_of(endpoint), "One.", seed=3)
    assert reply.status == "ok"
    assert ["seed" in body for body in endpoint.requests] == [True, False]


def test_sampling_settings_are_never_dropped():
    with Endpoint(refuses("temperature", "Unsupported value: 'temperature'")) as endpoint:
        (reply,) = ask(client_of(endpoint), "One.", temperature=0.3)
    assert (reply.status, len(endpoint.requests)) == ("invalid", 1)
    assert "status 400: Unsupported value: 'temperature'" in reply.error


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "4", "reasoning_content": "2 + 2"}, "4"),
        ({"content": None, "reasoning": "2 + 2"}, ""),
        ({"content": "<think>\n2 + 2\n</think>\n\n4"}, "4"),
        ({"content": "<think>it goes on and"}, ""),
        ({"content": "Write <think> first."}, "Write <think> first."),
        ({"content": [{"type": "text", "text": "4"}, {"type": "other"}]}, "4"),
        ({"content": None, "refusal": "I will not."}, "I will not."),
        ({"content": "a\ud800b"}, "a\ufffdb"),
    ],
)
def test_the_text_of_a_reply(message, text):
    with Endpoint(lambda body: message) as endpoint:
        (reply,) = ask(client_of(endpoint), "2 + 2?")
    assert (reply.status, reply.text) == ("ok", text)


def test_no_more_calls_at_once_than_the_width():
    with Endpoint() as endpoint:
        replies = ask(client_of(endpoint, width=3), *map(str, range(12)), at_once=True)
    assert {reply.status for reply in replies} == {"ok"}
    assert endpoint.most <= 3


def test_many_calls_survive_an_overloaded_endpoint():
    """Refuses what is above two at once, as a real rate limit does."""

    class Limited(Endpoint):
        def begin(self, body, headers):
            fault = super().begin(body, headers)
            return 429 if self.now > 2 else fault

    with Limited() as endpoint:
        client = client_of(endpoint, width=8, attempts=30)
        replies = ask(client, *map(str, range(30)), at_once=True)
    assert {reply.status for reply in replies} == {"ok"}
    assert sum(reply.usage.calls for reply in replies) == endpoint.bill.calls == 30
