"""The subset of JSON Schema that replies are checked against."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.llm.schema import complaint, is_strict

TREE = {
    "type": "object",
    "properties": {"left": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    "required": ["left"],
}
NAMED = {"$defs": {"n": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/n"}}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"a": 1, "b": 2}, {"type": "object", "properties": {"a": {"type": "number"}}}),
        (3.0, {"type": "integer"}),
        (None, {"type": ["string", "null"]}),
        ("a", {"enum": ["a", 1]}),
        (1, {"const": 1}),
        ([1, 2], NAMED),
        ({"left": {"left": None}}, TREE),
        ("abc", {"minLength": 3, "maxLength": 3}),
        (5, {"exclusiveMinimum": 4, "exclusiveMaximum": 6, "minimum": 5, "maximum": 5}),
        ("anything", {}),
        ("anything", True),
        (3, {"type": "integer", "format": "not known here"}),
    ],
)
def test_fits(value, schema):
    assert complaint(value, schema) == ""


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        (True, {"type": "integer"}, "reply must be of type integer"),
        (True, {"type": "number"}, "must be of type number"),
        (3.5, {"type": "integer"}, "must be of type integer"),
        (float("inf"), {"type": "integer"}, "must be of type integer"),
        ("3", {"type": ["integer", "null"]}, "integer or null"),
        ("x", {"enum": ["a", 1]}, 'must be one of ["a",1]'),
        (True, {"const": 1}, "must be one of [1]"),
        ({"a": "x"}, {"properties": {"a": {"type": "null"}}}, "reply.a must be of type null"),
        ({"a": [1, "x"]}, {"properties": {"a": NAMED}, "$defs": NAMED["$defs"]}, "reply.a[1]"),
        ({}, {"required": ["a"]}, "needs a field 'a'"),
        ({"b": 1}, {"additionalProperties": False}, "'b', which is not asked for"),
        ({"b": 1}, {"additionalProperties": {"type": "string"}}, "reply.b must be of type string"),
        (3, {"anyOf": [{"type": "string"}, {"type": "null"}]}, "of type string"),
        ({"left": {"left": 1}}, TREE, "reply.left"),
        (4, {"minimum": 5}, "at least 5"),
        (6, {"maximum": 5}, "at most 5"),
        (5, {"exclusiveMinimum": 5}, "above 5"),
        (5, {"exclusiveMaximum": 5}, "below 5"),
        ("ab", {"minLength": 3}, "at least 3 characters long"),
        ([1], {"minItems": 2}, "at least 2 items long"),
        ([1, 2, 3], {"maxItems": 2}, "at most 2 items long"),
        (1, False, "must not be there"),
        (1, {"$ref": "#"}, "nested too deeply"),
    ],
)
def test_does_not_fit(value, schema, said):
    assert said in complaint(value, schema)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    max_leaves=10,
)


@given(JSON)
def test_every_value_is_its_own_constant(value):
    assert complaint(value, {"const": value}) == ""


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "string"}, True),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
        (
            {
                "type": "object",
                "properties": {"a": {}},
                "required": ["a"],
                "additionalProperties": False,
            },
            True,
        ),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, False),
        ({"anyOf": [{"type": "object"}]}, False),
    ],
)
def test_strict(schema, strict):
    assert is_strict(schema) == strict
