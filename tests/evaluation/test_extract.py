import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.evaluation.extract import find_json, find_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It costs $1,234.50, so -3 is wrong", [1234.5, -3.0]),
        ("3-5", [3.0, 5.0]),
        ("x = −2.5e-3.", [-0.0025]),
        (".5 and 7.", [0.5, 7.0]),
        ("1,2,3", [1.0, 2.0, 3.0]),
        ("1,23", [1.0, 23.0]),
        ("1e999 then 2", [2.0]),
        ("version 1.2.3", [1.2, 3.0]),
        ("none", []),
    ],
)
def test_numbers(text, numbers):
    assert find_numbers(text) == numbers


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_float_is_read_back(value):
    assert find_numbers(f"the answer is {value!r}") == [value]


@given(st.text())
def test_any_text_is_read_without_an_exception(text):
    assert all(math.isfinite(number) for number in find_numbers(text))
    with contextlib.suppress(ValueError):
        find_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure!\n```json\n{"a": [1, 2]}\n```\nDone {x}', {"a": [1, 2]}),
        ("3", 3),
        ("set {x}: [1]", [1]),
    ],
)
def test_json_is_found_among_prose(text, value):
    assert find_json(text) == value


@pytest.mark.parametrize("text", ["", "no", "{'a': 1}", '{"a": NaN}', "{" * 5000, "[" * 100_000])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError, match="no JSON"):
        find_json(text)
