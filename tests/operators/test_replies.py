"""Proposals read out of replies."""

from __future__ import annotations

import pytest

from optimand.operators.replies import parts_of


@pytest.mark.parametrize(
    ("reply", "names", "found"),
    [
        ('<part name="a">\nnew\n</part>', ["a", "b"], {"a": "new"}),
        ('<part name="a">x</part> <part name="b">y\nz</part>', ["a", "b"], {"a": "x", "b": "y\nz"}),
        ('<part name="a">old</part>\n<part name="a">new</part>', ["a"], {"a": "new"}),
        ("Here it is:\n```\nnew text\n```", ["a"], {"a": "new text"}),
        ("```\nfirst\n```\nbetter:\n```text\nlast\n```", ["a"], {"a": "last"}),
        ("```\nnew text\n```", ["a", "b"], None),
        ("I cannot help with that.", ["a"], None),
        ("", ["a"], None),
        ('<part name="a">  </part>', ["a"], None),
        ('<part name="a">never closed', ["a", "b"], None),
    ],
)
def test_parts(reply: str, names: list[str], found: dict[str, str] | None) -> None:
    assert parts_of(reply, names) == found


def test_hostile_replies_take_no_time() -> None:
    assert parts_of('<part name="a">' * 20_000, ["a"]) is None
    assert parts_of("```\n" * 50_000, ["a"]) is None
    many = '<part name="a">x</part>' * 20_000
    assert parts_of(many, ["a"]) == {"a": "x"}
