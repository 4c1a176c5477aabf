"""Whatever a model writes is read in a time that grows with its length, not with the square of it.

The limit is generous: what is linear takes some hundredths of a second here, and what is quadratic
takes minutes.
"""

import contextlib
import json
import time

import pytest

from optimand.artifacts.template import template_fields
from optimand.core.example import Example
from optimand.core.record import Record
from optimand.evaluation.extract import find_json, find_numbers
from optimand.evaluation.judges import Contains, Exact, JsonField, Numeric
from optimand.evaluation.parsers import parser_from
from optimand.llm.failures import error_text, tidy
from optimand.llm.reading import parse_structured
from optimand.llm.secrets import hider
from optimand.llm.wire import refused_feature, reply_of
from optimand.report.text import one_line, visible

LENGTH = 200_000
LIMIT = 2.0
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
KEY = "sk-verysecretkey-0123456789abcdef"


def scored(judge, target="a a"):
    return lambda text: judge.score(Example("e", "q", target), Record("c", "e", output=text), 0)


def answered(text):
    return reply_of(json.dumps({"choices": [{"message": {"content": text}}]}), lambda *_: None)


READERS = {
    "schema": lambda text: parse_structured(text, SCHEMA),
    "choices": lambda text: parse_structured(text, None, ("A", "B", "tie")),
    "find_json": find_json,
    "find_numbers": find_numbers,
    "first_line": parser_from("first_line"),
    "first_word": parser_from("first_word"),
    "number": parser_from("number"),
    "choice": parser_from({"type": "choice", "choices": ["yes", "no", "a a"]}),
    "json_field": parser_from({"type": "json_field", "field": "a"}),
    "contains": scored(Contains()),
    "exact": scored(Exact(ignore_articles=True)),
    "json_field judge": scored(JsonField("a")),
    "numeric": scored(Numeric(), 1),
    "reply": answered,
    "refusal": lambda text: refused_feature(text, {"response_format": 1, "seed": 1}),
    "error": lambda text: tidy(error_text(text), KEY),
    "hider": hider(KEY),
    "visible": visible,
    "one_line": one_line,
    "template": template_fields,
}
UNITS = [
    *(
        "\n",
        "`",
        "```\n",
        "[",
        "{",
        '{"a":',
        '["',
        "[1,",
        "answer ",
        "answer is",
        "...is ",
        "A ",
        "-",
    ),
    *("1", ",111", ".", "*", '"', "\\", "<think>", "the ", "a ", "̧́", "‮", "{{", "{a"),
    *(KEY[:11], "sk-v*"),
]
FORMED = ("schema", "choices", "find_json", "json_field", "json_field judge", "reply")
STARTS = ["```", "The answer", "[" * 300 + '"', '{"a": "']


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_is_read_in_short_time(reader):
    slow = []
    for start in ["", *STARTS] if reader in FORMED else ["", "1"]:
        for unit in UNITS:
            text = (start + unit * (LENGTH // len(unit)))[:LENGTH]
            began = time.process_time()
            with contextlib.suppress(ValueError):
                READERS[reader](text)
            if time.process_time() - began > LIMIT:
                slow.append((start[:9], unit))
                break
    assert not slow
