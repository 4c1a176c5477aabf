import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.errors import InputError
from optimand.evaluation.parsers import PARSERS, parser_from

ALL = [
    "text",
    "first_line",
    "first_word",
    "number",
    {"type": "regex", "pattern": r"(\w)(x)?"},
    {"type": "json_field", "field": "a"},
    {"type": "choice", "choices": ["yes", "no"]},
]


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        ("text", "  a\nb \n", "a\nb"),
        ("text", "", ""),
        ("first_line", "\n  one \ntwo", "one"),
        ("first_word", "** Yes, it is", "Yes"),
        ("first_word", "well-known fact", "well-known"),
        ("number", "first 3, then 4.5.", 4.5),
        ({"type": "number", "which": "first"}, "first 3, then 4.5.", 3.0),
        ({"type": "regex", "pattern": r"A: (\w+)"}, "Q A: b c", "b"),
        ({"type": "regex", "pattern": r"A: \w+"}, "Q A: b c", "A: b"),
        ({"type": "regex", "pattern": r"(?P<x>a)(?P<y>b)", "group": "y"}, "ab", "b"),
        ({"type": "regex", "pattern": r"(a)(b)", "group": 0}, "ab", "ab"),
        ({"type": "json_field", "field": "a"}, 'Here: {"a": [1]}', [1]),
        ({"type": "choice", "choices": ["yes", "no"]}, " YES.", "yes"),
        ({"type": "choice", "choices": ["yes", "no"]}, "I say no, I know.", "no"),
        ({"type": "choice", "choices": ["A", "A+"]}, "A+", "A+"),
        ({"type": "choice", "choices": [1, 2]}, "2", "2"),
    ],
)
def test_values(spec, text, value):
    parsed = parser_from(spec)(text)
    assert (parsed.value, parsed.error) == (value, "")


@pytest.mark.parametrize(
    ("spec", "text", "error"),
    [
        ("first_line", " \n ", "empty"),
        ("first_word", "...", "no word"),
        ("number", "none", "no number"),
        ({"type": "regex", "pattern": "x"}, "y", "nothing matches 'x'"),
        ({"type": "regex", "pattern": "(x)?y"}, "y", "nothing matches"),
        ({"type": "json_field", "field": "a"}, "{", "no JSON"),
        ({"type": "json_field", "field": "a"}, '{"b": 1}', "no field 'a'"),
        ({"type": "json_field", "field": "a"}, "[1]", "no field 'a'"),
        ({"type": "choice", "choices": ["yes", "no"]}, "yes and no", "several"),
        ({"type": "choice", "choices": ["yes", "no"]}, "maybe, nobody knows", "none"),
    ],
)
def test_failures_are_answers_not_exceptions(spec, text, error):
    parsed = parser_from(spec)(text)
    assert parsed.value is None
    assert error in parsed.error


@pytest.mark.parametrize("spec", ALL)
@given(text=st.text())
def test_no_text_makes_a_parser_raise(spec, text):
    parsed = parser_from(spec)(text)
    assert (parsed.error == "") != (parsed.value is None)


def test_every_parser_is_tested():
    assert {spec if isinstance(spec, str) else spec["type"] for spec in ALL} == set(PARSERS)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("numbr", "Did you mean 'number'"),
        ({}, "no parser None"),
        ({"type": ["x"]}, "no parser"),
        ({"type": "number", "which": "third"}, "'first' or 'last'"),
        ({"type": "number", "base": 2}, "wrong or missing options"),
        ({"type": "regex"}, "wrong or missing options"),
        ({"type": "regex", "pattern": "("}, "not a pattern"),
        ({"type": "regex", "pattern": 3}, "not a pattern"),
        ({"type": "regex", "pattern": "a", "group": 2}, "no group 2"),
        ({"type": "regex", "pattern": "a", "group": "x"}, "no group 'x'"),
        ({"type": "choice", "choices": []}, "at least one"),
        ({"type": "choice", "choices": "yes"}, "must be a list"),
        ({"type": "choice", "choices": ["a", "A"]}, "distinct"),
    ],
)
def test_bad_options_are_named(spec, message):
    with pytest.raises(InputError, match=message):
        parser_from(spec)
