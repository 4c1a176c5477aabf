"""Tags within a text: what a writer meant is taken whole."""

from __future__ import annotations

import time

from optimand.operators.replies import parts_of


def test_a_text_may_speak_of_the_end_of_a_part() -> None:
    reply = '<part name="a">\nalpha </part> bravo\n</part>\n<part name="b">\nx\n</part> done'
    assert parts_of(reply, ("a", "b")) == {"a": "alpha </part> bravo", "b": "x"}


def test_many_tags_are_read_in_linear_time() -> None:
    begun = time.process_time()
    parts_of('<part name="a">' * 200_000 + "</part>" * 200_000, ("a",))
    parts_of('<part name="a">x' * 200_000, ("a",))
    assert time.process_time() - begun < 5.0
