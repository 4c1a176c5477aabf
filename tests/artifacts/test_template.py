import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.artifacts.template import fill, input_fields, template_fields
from optimand.core.errors import InputError


def test_fields_are_filled_once_and_never_read_as_templates():
    assert fill("Q: {question} ({n})", {"question": "{n} {{x}}", "n": 3}) == "Q: {n} {{x}} (3)"


def test_plain_values_fill_input():
    assert fill("<{input}>", "hello") == "<hello>"
    assert fill("{input}", [1, "é"]) == '[1, "é"]'
    assert input_fields("hello") == {"input"}


def test_doubled_braces_are_literal():
    assert fill('{{"a": {x}}}', {"x": 1}) == '{"a": 1}'
    assert fill("{{{x}}}", {"x": 1}) == "{1}"
    assert fill("{{x}}", {"x": 1}) == "{x}"


def test_fields_in_order_of_use():
    assert template_fields("{b} {a} {b} {{c}} {long name} {with-dash} {é}") == (
        "b",
        "a",
        "long name",
        "with-dash",
        "é",
    )


@pytest.mark.parametrize(
    "template",
    [
        "{a.b}",
        "{a[0]}",
        "{0}",
        "{a:>9}",
        "{a!r}",
        "{}",
        "{ a}",
        '{"json": 1}',
        "{",
        "}",
        "a { b",
        "{a{b}",
    ],
)
def test_anything_but_a_plain_name_is_refused(template):
    with pytest.raises(InputError, match="line 2"):
        template_fields("first\n" + template)


def test_missing_field_names_the_field_and_what_there_is():
    with pytest.raises(InputError, match=r"uses \{c\}, but the input has 'a', 'b'"):
        fill("{c}", {"b": 1, "a": 2})


@given(st.text())
def test_doubling_braces_quotes_any_text(text):
    assert fill(text.replace("{", "{{").replace("}", "}}"), "x") == text


@given(st.text(), st.text())
def test_values_are_inserted_as_they_are(before, value):
    quoted = before.replace("{", "{{").replace("}", "}}")
    assert fill(quoted + "{v}", {"v": value}) == before + value
