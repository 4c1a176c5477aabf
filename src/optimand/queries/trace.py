"""A block about how the parents' outputs came about: the sections of an execution trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.core.proposal import Context, Evidence
from optimand.core.record import Record
from optimand.queries.blocks import WHOLE, cases, cut, plain

__all__ = ["documentation", "runs"]

HEAD = (
    "Each run shows the calls that led from the variables to the output (code), the values they "
    "were given (inputs) and gave on the way (others). Follow the values from the output back: the "
    "first wrong one points to the variable that made it so."
)


def documentation(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """What the functions and parameters in the traces are, each once."""
    docs: dict[str, str] = {}
    for record in evidence.records:
        docs |= _section(record, "docs")
    return cut("\n".join(f"- {name} {text}" for name, text in docs.items()), WHOLE)


def runs(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """For each run the code that led to the output, the values on the way, and the feedback.

    Sections as in OptoPrime (Trace, arXiv:2406.16218, Section 3.2). Raises OptimandError for
    records of any split but "train".
    """
    cases(evidence)  # refuses what no proposer may see
    known = [record for record in evidence.records if record.status != "unknown"]
    inputs = {example.id: plain(example.input) for example in evidence.examples}
    texts = [
        f"### run {i}\n{_run(record, inputs.get(record.example, ''))}"
        for i, record in enumerate(known, 1)
    ]
    return cut("\n\n".join([HEAD, *texts]), WHOLE) if texts else ""


def _run(record: Record, given: str) -> str:
    calls = _calls(record)
    trace = record.trace if isinstance(record.trace, Mapping) else {}
    parts = {
        "code": [_line(call) for call in calls],
        "variables": _listed(_section(record, "parameters")),
        "inputs": _listed(_section(record, "inputs")) or [given] * bool(given),
        "others": _listed(
            {c["name"]: c["value"] for c in calls if c["name"] != trace.get("output")}
        ),
        "output": [plain(record.output)] if record.output is not None else [],
        "feedback": [plain(record.feedback)] if record.feedback else [],
        "score": [] if record.score is None else [f"{record.score:.2f}"],
    }
    if omitted := trace.get("omitted"):
        parts["code"].insert(0, f"({omitted} earlier calls are left out)")
    return "\n".join(
        f"{title}:\n  " + "\n  ".join(lines) for title, lines in parts.items() if lines
    )


def _line(call: Mapping[str, Any]) -> str:
    """One call as a line of the program; an element of a value by its own name."""
    args = ", ".join(f"{name}={value}" for name, value in call["args"].items())
    failed = "  # raised the error" if call["failed"] else ""
    return f"{call['name']} = {call['function']}({args}){failed}"


def _listed(values: Mapping[str, str]) -> list[str]:
    return [f"{name} = {value}" for name, value in values.items()]


def _calls(record: Record) -> list[Any]:
    return list(record.trace.get("calls", ())) if isinstance(record.trace, Mapping) else []


def _section(record: Record, name: str) -> dict[str, str]:
    return dict(record.trace.get(name, {})) if isinstance(record.trace, Mapping) else {}
