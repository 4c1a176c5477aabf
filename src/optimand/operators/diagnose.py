"""Why single cases went wrong, or right at last: a label, a cause and the part it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from optimand.core.gather import all_of
from optimand.core.model import object_schema
from optimand.core.proposal import Context, Evidence
from optimand.core.record import Record
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import PASSED, cases, render

__all__ = ["Diagnosis", "diagnosed", "failed"]

LABEL, TEXT = 80, 1_000
SHOWN = 30


@dataclass(frozen=True)
class Diagnosis:
    """What a model said of one example: `label` names the pattern, `part` is one that may change.

    `passed`: it is right now and was wrong before; `text` then says what made the difference.
    """

    example: str
    label: str
    text: str
    part: str
    passed: bool = False


async def diagnosed(
    context: Context,
    evidence: Evidence,
    known: Sequence[str] = (),
    role: str = "critic",
    below: float = PASSED,
) -> list[Diagnosis]:
    """Ask `role` about each example that the first parent fails (scores below `below`).

    With a second parent, what that one did is shown for contrast, and examples that only it fails
    are asked about too. `known` are names of patterns, to be used again. Unreadable answers are
    left out.
    """
    pairs = _pairs(evidence, below)
    replies = await all_of(
        [
            ask(
                context,
                role,
                _question(context, evidence, mine, base, known),
                draw,
                schema=_schema(context.surface.names),
            )
            for draw, (mine, base) in enumerate(pairs)
        ]
    )
    found = []
    for (mine, _), reply in zip(pairs, replies, strict=True):
        passed = not failed(mine, below)
        made = _read(reply.parsed, mine.example, context.surface.names, passed)
        found += [made] if made else []
    return found


def failed(record: Record, below: float = PASSED) -> bool:
    """Whether a record is a failure: a failed service is none."""
    return record.status != "unknown" and (record.score or 0.0) < below


def _pairs(evidence: Evidence, below: float) -> list[tuple[Record, Record | None]]:
    """The first parent's records that are worth a look, each with the last parent's."""
    first, last = evidence.parents[0], evidence.parents[-1]
    other = {r.example: r for r in evidence.of(last)} if last.id != first.id else {}
    found = []
    for mine in evidence.of(first):
        base = other.get(mine.example)
        turned = base is not None and failed(base, below) and mine.status != "unknown"
        if failed(mine, below) or turned:
            found.append((mine, base))
    return found


def _question(
    context: Context, evidence: Evidence, mine: Record, base: Record | None, known: Sequence[str]
) -> str:
    names = context.surface.names
    contrast = f"## what it did with the first text\n{_case(evidence, base)}" if base else ""
    patterns = "\n".join(f"- {name}" for name in known[:SHOWN])
    values = {
        "current": render(context, evidence.parents[0], names),
        "case": _case(evidence, mine),
        "contrast": contrast,
        "known": f"## known patterns\n{patterns}" if patterns else "",
        "parts": ", ".join(names),
    }
    return prompt("diagnose", values, {})


def _case(evidence: Evidence, record: Record) -> str:
    return "\n".join(cases(replace(evidence, records=(record,))))


def _schema(names: Sequence[str]) -> dict[str, Any]:
    text, part = {"type": "string"}, {"type": "string", "enum": list(names)}
    return object_schema({"label": text, "diagnosis": text, "part": part})


def _read(parsed: Any, example: str, names: Sequence[str], passed: bool) -> Diagnosis | None:
    if not isinstance(parsed, dict):
        return None
    label, text, part = (parsed.get(k) for k in ("label", "diagnosis", "part"))
    if not isinstance(label, str) or not label.strip() or not isinstance(text, str):
        return None
    label = " ".join(label.split())[:LABEL]
    place = next((name for name in names if name == part), "")
    return Diagnosis(example, label, text.strip()[:TEXT], place, passed)
