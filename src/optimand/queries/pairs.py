"""Outputs of two candidates on the same examples, side by side."""

from __future__ import annotations

from optimand.core.example import Example
from optimand.core.proposal import Evidence
from optimand.core.record import Record
from optimand.queries.blocks import WHOLE, cut, need_train, plain

__all__ = ["side_by_side"]


def side_by_side(evidence: Evidence, *, labels: bool = False) -> str:
    """What the first two parents answered to each input, as output 1 and output 2.

    No scores and no feedback, which may tell the target. Only with `labels` is `Example.target`
    read and shown. An example where a service failed is left out; "" where no output was kept.
    Raises OptimandError for records of any split but "train".
    """
    need_train(evidence)
    first, second = (
        {r.example: r for r in evidence.of(parent) if r.status != "unknown"}
        for parent in evidence.parents[:2]
    )
    both = [e for e in evidence.examples if e.id in first and e.id in second]
    if all(first[e.id].output is None and second[e.id].output is None for e in both):
        return ""
    return cut("\n\n".join(_pair(e, first[e.id], second[e.id], labels) for e in both), WHOLE)


def _pair(example: Example, first: Record, second: Record, labels: bool) -> str:
    lines = [f"input: {plain(example.input)}"]
    if labels and example.target is not None:
        lines.append(f"expected: {plain(example.target)}")
    lines += [f"output 1: {_output(first)}", f"output 2: {_output(second)}"]
    return "\n".join(lines)


def _output(record: Record) -> str:
    return f"none ({record.status})" if record.output is None else plain(record.output)
