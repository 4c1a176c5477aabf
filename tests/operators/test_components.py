"""Edits of a sequence of components."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from optimand.core.artifact import Artifact, Candidate
from optimand.operators.components import corpus, edits_of, taking_turns

PARENT = Candidate(Artifact({"value": "start"}), "start")
SEQUENCES = st.lists(st.sampled_from("abcdef"), max_size=5, unique=True).map(tuple)


@given(SEQUENCES, st.lists(st.sampled_from("abcxyz"), unique=True))
def test_every_edit_is_there_once(sequence: tuple[str, ...], adding: list[str]) -> None:
    found = edits_of(PARENT, sequence, adding, 2)
    n, fresh = len(sequence), len(set(adding) - set(sequence))
    assert len(found["add"]) == fresh * (n + 1)
    assert len(found["delete"]) == n
    assert len(found["swap"]) == n * (n - 1) // 2
    assert len(found["paraphrase"]) == 2 * n
    for edit in found["add"]:
        assert edit.sequence[edit.place] == edit.component
    for edit in found["delete"]:
        assert sequence[edit.place] == edit.component
        assert len(edit.sequence) == n - 1
    assert all(sorted(e.sequence) == sorted(sequence) for e in found["swap"])


@given(SEQUENCES, st.integers(0, 40), st.integers(0, 9))
def test_a_limit_is_kept_and_nothing_is_tried_twice(
    sequence: tuple[str, ...], most: int, seed: int
) -> None:
    possible = [edits_of(PARENT, s, list("xyz")) for s in (sequence, sequence[:2])]
    found = taking_turns(possible, most, random.Random(seed))
    texts = [e.sequence for e in found]
    assert len(set(texts)) == len(texts)
    every = {e.sequence for by_kind in possible for es in by_kind.values() for e in es}
    assert len(found) == (min(most, len(every)) if most else len(every))


def test_additions_go_round_in_the_order_given() -> None:
    possible = [edits_of(PARENT, ("a", "b"), ["y", "x", "z"])]
    found = taking_turns(possible, 0, random.Random(0))
    added = [e.component for e in found if e.kind == "add"]
    assert [added[i : i + 3] for i in (0, 3, 6)] == [["y", "x", "z"]] * 3
    assert {e.kind for e in found[:3]} == {"add", "delete", "swap"}


def test_the_corpus_is_a_list_of_lines_without_braces() -> None:
    assert len(corpus()) >= 40
    assert len(set(corpus())) == len(corpus())
    assert not [c for c in corpus() if "{" in c or "}" in c or c != c.strip()]
