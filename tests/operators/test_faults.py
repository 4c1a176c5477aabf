"""Notes: one for each failed record and criterion, joined without repeating a case."""

from __future__ import annotations

import pytest

from optimand.core.errors import OptimandError
from optimand.core.example import Example
from optimand.core.proposal import Evidence
from optimand.core.record import Record
from optimand.operators.faults import faults, grouped, joined

EXAMPLES = tuple(Example(f"e{i}", f"in {i}") for i in range(4))


def _evidence(split: str = "train") -> Evidence:
    records = (
        Record("c", "e0", score=0.5, output="o", objectives={"a": 0.0, "b": 0.5, "z": 0.0}),
        Record("c", "e1", score=1.0, output="o", objectives={"a": 1.0, "b": 0.9}),
        Record("c", "e2", score=0.0, output="o", objectives={"b": 1.0}),
        Record("c", "e3", score=None, status="unknown", objectives={"a": 0.0}),
    )
    return Evidence((), split, EXAMPLES, records)


def test_each_failed_criterion_of_each_record_is_one() -> None:
    found = [(n.examples, n.criteria) for n in faults(_evidence(), ("a", "b"))]
    assert found == [(("e0",), ("a",)), (("e0",), ("b",)), (("e1",), ("b",))]


def test_without_criteria_each_failed_record_is_one() -> None:
    assert [(n.examples, n.criteria) for n in faults(_evidence())] == [(("e0",), ()), (("e2",), ())]


def test_joined_shows_a_case_once() -> None:
    notes = faults(_evidence(), ("a", "b"))
    both, other = grouped(notes, lambda note: note.examples)
    assert both.criteria == ("a", "b")
    assert both.text.count("in 0") == 1
    assert other.examples == ("e1",)
    whole = joined(notes)
    assert whole.examples == ("e0", "e1")
    assert whole.criteria == ("a", "b")


def test_only_training_records_are_read() -> None:
    with pytest.raises(OptimandError, match="must not see"):
        faults(_evidence("val"))
