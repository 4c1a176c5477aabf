"""Blocks of text about the evidence, each with a limit; all from the training split or the archive.

What models and examples wrote is quoted as data: shortened, and never used as a template.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from optimand.core.artifact import Candidate
from optimand.core.errors import OptimandError
from optimand.core.example import Example
from optimand.core.proposal import Context, Evidence
from optimand.core.record import Record
from optimand.queries.query import Block

__all__ = [
    "about",
    "cases",
    "cut",
    "exemplars",
    "failures",
    "history",
    "limits",
    "need_train",
    "render",
    "successes",
]

LINE = 600
"""Characters of one input, output or feedback that are shown."""
WHOLE = 12_000
"""Characters of a whole block."""
PASSED = 1.0 - 1e-9


def cases(evidence: Evidence, *, passed: bool = True, failed: bool = True) -> list[str]:
    """What the parents did, one text a record: input, output, feedback, score.

    Raises OptimandError as `need_train` does.
    """
    need_train(evidence)
    by_id = {example.id: example for example in evidence.examples}
    return [
        _case(by_id.get(record.example), record)
        for record in evidence.records
        if record.status != "unknown" and (passed if _passed(record) else failed)
    ]


def need_train(evidence: Evidence) -> None:
    """Raise OptimandError for records of any split but "train": no proposer may see those."""
    if evidence.split not in ("train", ""):
        raise OptimandError(f"a proposer must not see outputs on split {evidence.split!r}")


def failures(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """What the parents got wrong: input, output, feedback."""
    return cut("\n\n".join(cases(evidence, passed=False)), WHOLE)


def successes(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """What the parents got right."""
    return cut("\n\n".join(cases(evidence, failed=False)), WHOLE)


def history(count: int = 20) -> Block:
    """The best candidates so far with their scores in percent, worst first (OPRO, Section 2)."""

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        memory = context.memory
        lines = [
            f"score {100 * memory.value(c):.0f}:\n{render(context, c)}"
            for c in reversed(memory.top(count))
        ]
        return cut("\n\n".join(lines), WHOLE, keep_end=True)

    return block


def exemplars(count: int = 3) -> Block:
    """A few training examples with their targets, drawn anew in every step."""

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        pool = _train(context)
        drawn = context.rng.sample(pool, min(count, len(pool)))
        return "\n\n".join(f"input: {plain(e.input)}\nexpected: {plain(e.target)}" for e in drawn)

    return block


def about(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """What the task says of itself, if it does."""
    return cut(getattr(context.run.task, "about", ""), WHOLE)


def limits(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
    """The limits that a proposal must keep."""
    surface = context.surface
    lines = [f"- {n}: at most {surface.limits[n]} characters" for n in surface.limits]
    lines += [
        f"- {n}: keep {', '.join('{' + f + '}' for f in sorted(fields))} as written"
        for n, fields in surface.fields.items()
        if fields
    ]
    lines += [f"- {n}: {setting.describe()}" for n, setting in surface.settings.items()]
    return "\n".join(lines)


def render(context: Context, candidate: Candidate, names: Sequence[str] = ()) -> str:
    """The changeable parts, in the tags in which replies are read."""
    values = context.surface.current(candidate.artifact)
    return "\n".join(
        f'<part name="{name}">\n{plain(value, WHOLE)}\n</part>'
        for name, value in values.items()
        if not names or name in names
    )


def plain(value: Any, most: int = LINE) -> str:
    """Text as it is, other values as JSON, shortened."""
    if isinstance(value, str):
        return cut(value, most)
    return cut(json.dumps(value, ensure_ascii=False, default=str), most)


def cut(text: str, most: int, *, keep_end: bool = False) -> str:
    """At most `most` characters, saying where something was left out."""
    if len(text) <= most:
        return text
    return f"[...]{text[-most:]}" if keep_end else f"{text[:most]}[...]"


def _passed(record: Record) -> bool:
    return (record.score or 0.0) >= PASSED


def _case(example: Example | None, record: Record) -> str:
    lines = [f"input: {plain(example.input)}"] if example else []
    if record.output is not None:
        lines.append(f"output: {plain(record.output)}")
    if record.feedback:
        lines.append(f"feedback: {plain(record.feedback)}")
    if record.score is not None:
        lines.append(f"score: {record.score:.2f}")
    return "\n".join(lines)


def _train(context: Context) -> list[Example]:
    split = context.run.task.splits.get("train", ())
    return list(split[:1000])
