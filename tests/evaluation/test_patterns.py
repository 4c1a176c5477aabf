"""A user's pattern cannot hold up the run, whatever the model wrote."""

import pytest

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.record import Record
from optimand.evaluation import patterns
from optimand.evaluation.judges import Regex
from optimand.evaluation.parsers import parser_from
from optimand.evaluation.patterns import broken, find

ENDLESS, TEXT = "(a|aa)+$", "a" * 60 + "b"


@pytest.fixture
def hurried(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.3)


@pytest.mark.parametrize(
    ("pattern", "text", "options", "found"),
    [
        ("a+", "xaab", {}, "aa"),
        ("(a+)(b+)", "xaab", {"group": 2}, "b"),
        ("(?P<n>a+)|b+", "xaab", {"group": "n"}, "aa"),
        ("(a)?b*|c", "b", {"group": 1}, None),
        ("a*|b*", "ab", {"full": True}, None),
        ("a*b*", "ab", {"full": True}, "ab"),
        ("x|y|z", "\ud800 \n\x00é z", {}, "z"),
        ("(?i)A+|B", "xab", {}, "a"),
        (ENDLESS, "a" * 60, {}, "a" * 60),
        ("", "abc", {}, ""),
        ("a*c|", "b" * 100_000, {}, ""),
    ],
)
def test_what_is_found(pattern, text, options, found):
    assert find(pattern, text, **options) == found


def test_a_match_without_end_is_given_up_and_the_next_one_works(hurried):
    with pytest.raises(TimeoutError, match="took longer than"):
        find(ENDLESS, TEXT)
    assert find(ENDLESS, "aaa") == "aaa"


def test_a_long_text_is_given_up_too(hurried):
    with pytest.raises(TimeoutError):
        find("a.*b", "a" * 1_000_000)


def test_a_parser_says_that_its_pattern_took_too_long(hurried):
    parsed = parser_from({"type": "regex", "pattern": ENDLESS})(TEXT)
    assert "took longer than" in parsed.error


def test_a_judge_whose_pattern_takes_too_long_gives_no_judgement(hurried):
    found = Regex(ENDLESS).score(Example("e", "q"), Record("c", "e", output=TEXT), 0)
    assert (found.value, found.status) == (None, "invalid")
    assert "took longer than" in found.feedback


BAD = ["(", "a{99999999999999999}", "(" * 5000, "[", "*", "(?P<a", "\\"]


@pytest.mark.parametrize("pattern", BAD)
def test_what_is_no_pattern_is_refused(pattern):
    assert broken(pattern)
    with pytest.raises(InputError, match="is not a pattern"):
        parser_from({"type": "regex", "pattern": pattern})
    with pytest.raises(InputError, match="is broken"):
        Regex(pattern)
    with pytest.raises(InputError, match="is broken"):
        Regex().require(Example("e", "q", pattern))
