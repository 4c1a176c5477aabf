"""Finding a value in fences, in prose and behind what announces it."""

import pytest

from optimand.llm.reading import parse_structured

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```',
        '```\n\n{"a": 1}```',
        'Use ```x``` so:\n```JSON \n{"a": 1}\n``` and ```y```',
        '```python title\nno\n```\n{"a": 1}',
        'before ``` {"a": 1}',
        "[" * 50 + '{"a": 1}',
    ],
)
def test_json_in_fences_and_prose(text):
    assert parse_structured(text, SCHEMA) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Answer: B",
        "The answer is B.",
        "the answer, it seems, is: answer - is - **B**",
        "Verdict ... B",
        "answer...is...B",
        "My choice is `B`",
    ],
)
def test_a_stated_choice(text):
    assert parse_structured(text, None, ("A", "B", "tie")) == "B"


@pytest.mark.parametrize("text", ["The answer isB", "answer: Bee", "A or B", "answers vary: B"])
def test_a_choice_that_is_not_stated(text):
    with pytest.raises(ValueError, match="none of"):
        parse_structured(text, None, ("A", "B", "tie"))
