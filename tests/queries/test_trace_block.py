"""The sections of an execution trace, as a proposer reads them."""

from __future__ import annotations

from typing import Any

import pytest

from optimand import Artifact, Candidate, Example
from optimand.core.errors import OptimandError
from optimand.core.proposal import Evidence
from optimand.core.record import Record
from optimand.queries.trace import documentation, runs

ONE = Candidate(Artifact({"value": "x"}), "one")
TRACE = {
    "output": "desk_1",
    "omitted": 3,
    "calls": [
        {"name": "hits_1", "function": "hits", "args": {"words": "words"}, "value": "0"},
        {"name": "desk_1", "function": "desk", "args": {"count": "hits_1"}, "value": "'a'"},
    ],
    "parameters": {"words": "'refund'"},
    "inputs": {},
    "docs": {"desk": "(count): Choose."},
}
for call in TRACE["calls"]:
    call["failed"] = call["name"] == "desk_1"  # type: ignore[index]


def evidence(split: str = "train", **fields: Any) -> Evidence:
    record = Record(ONE.id, "e", **{"score": 0.0, "output": "a", "feedback": "no", **fields})
    return Evidence((ONE,), split, (Example("e", "my bill"),), (record,))


def test_every_section_is_there_in_order() -> None:
    text = runs(None, evidence(trace=TRACE))  # type: ignore[arg-type]
    assert text.partition("### run 1\n")[2] == (
        "code:\n  (3 earlier calls are left out)\n  hits_1 = hits(words=words)\n"
        "  desk_1 = desk(count=hits_1)  # raised the error\n"
        "variables:\n  words = 'refund'\n"
        "inputs:\n  my bill\n"
        "others:\n  hits_1 = 0\n"
        "output:\n  a\nfeedback:\n  no\nscore:\n  0.00"
    )
    assert documentation(None, evidence(trace=TRACE)) == "- desk (count): Choose."  # type: ignore[arg-type]


def test_a_record_without_a_trace_shows_what_there_is() -> None:
    text = runs(None, evidence())  # type: ignore[arg-type]
    assert text.endswith("inputs:\n  my bill\noutput:\n  a\nfeedback:\n  no\nscore:\n  0.00")
    assert documentation(None, evidence()) == ""  # type: ignore[arg-type]


def test_a_failed_service_is_not_shown() -> None:
    assert runs(None, evidence(status="unknown", score=None)) == ""  # type: ignore[arg-type]


def test_no_other_split_is_shown() -> None:
    with pytest.raises(OptimandError, match="must not see"):
        runs(None, evidence("val", trace=TRACE))  # type: ignore[arg-type]
