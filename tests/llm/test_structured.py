"""Replies of a given form: reading them, and asking once more."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.model import Message, Reply, Request
from optimand.core.record import Usage
from optimand.llm.reading import parse_structured
from optimand.llm.structured import complete_structured, in_words

GRADE = {
    "type": "object",
    "properties": {"score": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["score"],
    "additionalProperties": False,
}
ABT = ("A", "B", "tie")


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 3}',
        ' \n{"score": 3}\n',
        '```json\n{"score": 3}\n```',
        'My grade:\n```\n{"score": 3}\n```\nas asked.',
        'It is [good] {"so": 1} and thus {"score": 3}.',
        '{"score": {"score": 3} is what I mean',
        '{"score": NaN} no: {"score": 3}',
        '[1, 2] {"score": 3} {"score": 4}',
    ],
)
def test_json_is_found(text):
    assert parse_structured(text, GRADE) == {"score": 3}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON"),
        ("three", "no JSON"),
        ('{"score": 3', "no JSON"),
        ('{"score": "3"}', "reply.score must be of type integer"),
        ('{"why": "x"}', "needs a field 'score'"),
        ('{"score": 3, "x": 1}', "'x', which is not asked for"),
        ("[" * 100_000, "no JSON"),
        ("x" * 200_001, "longer than"),
    ],
)
def test_what_does_not_fit_is_named(text, problem):
    with pytest.raises(ValueError, match=problem):
        parse_structured(text, GRADE)


@given(st.integers(), st.text())
def test_any_value_of_the_form_is_read(score, why):
    text = json.dumps({"score": score, "why": why})
    assert parse_structured(f"So:\n{text}", GRADE) == {"score": score, "why": why}


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("A", "A"),
        (" b. ", "B"),
        ('"tie"', "tie"),
        ("**B**", "B"),
        ("B. Because A is wrong.", "B"),
        ("B\nA is wrong.", "B"),
        ("(A) it is", "A"),
        ("Answer: tie", "tie"),
        ("After all, my final choice is **A**!", "A"),
        ('{"choice": "B"}', "B"),
        ('```json\n{"verdict": "tie"}\n```', "tie"),
    ],
)
def test_a_choice_is_found(text, choice):
    assert parse_structured(text, choices=ABT) == choice


@pytest.mark.parametrize(
    "text",
    [
        "",
        "C",
        "A and B are both fine",
        "A better answer is possible",
        "Not B",
        "ties",
        "Answer: Bob",
    ],
)
def test_a_choice_that_is_only_mentioned_does_not_count(text):
    with pytest.raises(ValueError, match="none of A, B, tie"):
        parse_structured(text, choices=ABT)


def test_choices_that_differ_in_case_are_told_apart():
    assert parse_structured("a", choices=("A", "a")) == "a"
    assert parse_structured("yes, please", choices=("yes", "yes, please")) == "yes, please"


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=5), st.data())
def test_a_choice_written_as_it_is_is_found(choices, data):
    choices = tuple({c.strip().casefold(): c for c in choices}.values())
    choice = data.draw(st.sampled_from(choices))
    assert parse_structured(choice, choices=choices) == choice


class Script:
    """Answers in turn, each for one call and ten tokens, in one second."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    async def __call__(self, request):
        self.requests.append(request)
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, Reply):
            return answer
        return Reply(answer, usage=Usage(1, 10), seconds=1.0)


def run(script, native=False, **form):
    request = Request((Message("user", "Grade it."),), **form)
    return asyncio.run(complete_structured(script, request, native=native))


def test_a_form_in_words():
    script = Script('{"score": 3}')
    reply = run(script, schema=GRADE)
    assert (reply.status, reply.parsed, reply.usage) == ("ok", {"score": 3}, Usage(1, 10))
    (asked,) = script.requests
    assert asked.schema is None
    assert asked.messages[0].content.startswith("Grade it.\n\nReply with one JSON value")
    assert json.dumps(GRADE) in asked.messages[0].content


def test_exactly_one_repair():
    script = Script("good", "very good", "never asked")
    reply = run(script, schema=GRADE)
    assert (reply.status, reply.parsed) == ("invalid", None)
    assert (reply.usage, reply.seconds, reply.text) == (Usage(2, 20), 2.0, "very good")
    assert [m.content for m in script.requests[1].messages][1] == "good"
    assert "it holds no JSON value" in script.requests[1].messages[2].content


def test_a_cut_reply_says_so():
    reply = run(Script(Reply("{", finish="length"), Reply("{", finish="length")), schema=GRADE)
    assert "cut at max_tokens" in reply.error


@pytest.mark.parametrize(
    "first",
    [
        Reply("", status="unknown", error="503"),
        Reply("", status="invalid", error="400"),
        Reply("...", finish="content_filter"),
        Reply("3", parsed={"score": 3}),
    ],
)
def test_what_no_repair_can_help_is_not_repaired(first):
    script = Script(first)
    reply = run(script, schema=GRADE)
    assert len(script.requests) == 1
    assert reply.status == (first.status if first.finish == "stop" else "invalid")


def test_a_client_that_can_is_given_the_form():
    script = Script("x", '{"choice": "B"}')
    reply = run(script, native=True, choices=ABT)
    assert reply.parsed == "B"
    assert [request.choices for request in script.requests] == [ABT, ABT]
    assert script.requests[0].messages[0].content == "Grade it."


def test_a_form_is_told_once_and_as_the_last_user_turn():
    form = {"choices": ABT}
    once = in_words(Request((Message("user", "?"),), **form))
    assert in_words(once) == once
    after = in_words(Request((Message("assistant", "!"),), **form))
    assert [m.role for m in after.messages] == ["assistant", "user"]
    assert after.messages[1].content.endswith("A\nB\ntie")
