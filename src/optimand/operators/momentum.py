"""Merge a round's diagnoses into lasting notes, and say what of them matters now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from optimand.core.model import object_schema
from optimand.core.proposal import Context
from optimand.memory.notes import Entry, Notes
from optimand.operators.diagnose import Diagnosis
from optimand.queries.ask import ask, prompt

__all__ = ["Merge", "by_label", "momentum", "told"]

Merge = Callable[[Context, Sequence[Diagnosis], Notes], Awaitable[str]]
"""Takes diagnoses into the notes; returns what else there is to say, usually nothing."""

THEMES, SENTENCE, SHOWN = 3, 400, 8


async def by_label(
    context: Context,  # noqa: ARG001
    found: Sequence[Diagnosis],
    notes: Notes,
) -> str:
    """One pattern for each label; asks nobody. What is right at last becomes a remedy."""
    for one in found:
        if not one.passed:
            notes.add(one.label, [one.example], text=one.text, part=one.part)
        elif notes.get(one.label) is not None:
            notes.add(one.label, remedy=f"this helped: {one.text}")
    return ""


def momentum(role: str = "momentum") -> Merge:
    """Ask `role` which diagnoses are the same pattern, what it lacks and what to change.

    Diagnoses that the answer leaves out, all where it cannot be read, are merged by label.
    Returns at most three themes. Source: SkillGrad (arXiv:2605.27760), the momentum agent.
    """

    async def merge(context: Context, found: Sequence[Diagnosis], notes: Notes) -> str:
        failing = [one for one in found if not one.passed]
        if not failing:
            return await by_label(context, found, notes)
        names = context.surface.names
        values = {
            "patterns": told(notes) or "none yet",
            "diagnoses": "\n".join(f"- {d.label} ({d.part or 'any'}): {d.text}" for d in found),
            "parts": ", ".join(names),
        }
        text = prompt("momentum", values, {})
        parsed = (await ask(context, role, text, schema=_schema(names))).parsed
        answer = parsed if isinstance(parsed, dict) else {}
        merged = _take_in(_dicts(answer.get("patterns")), failing, notes, names)
        await by_label(context, [one for one in found if one.label not in merged], notes)
        themes = [" ".join(t.split())[:SENTENCE] for t in _texts(answer.get("themes"))]
        return "\n".join(f"- {theme}" for theme in themes[:THEMES] if theme)

    return merge


def told(entries: Iterable[Entry], count: int = SHOWN) -> str:
    """The first patterns in words, with the remedies that were tried."""
    return "\n".join(_line(entry) for entry in list(entries)[:count])


def _line(entry: Entry) -> str:
    where = f" in {entry.part}" if entry.part else ""
    tried = "".join(f"\n  tried: {remedy}" for remedy in entry.remedies[-3:])
    return f"- {entry.name}{where}, seen on {len(entry.seen)} tasks: {entry.text}{tried}"


def _take_in(
    patterns: Iterable[dict[str, Any]],
    failing: Sequence[Diagnosis],
    notes: Notes,
    names: Sequence[str],
) -> set[str]:
    """Add the patterns that cover a diagnosis of this round; returns the labels covered."""
    covered: set[str] = set()
    for one in patterns:
        name = _short(one.get("name"))
        labels = {*_texts(one.get("labels")), name} - covered
        mine = [d for d in failing if d.label in labels]
        if not name or not mine:
            continue
        notes.add(
            name[:80],
            [d.example for d in mine],
            text=_short(one.get("gap")) or mine[0].text,
            part=next((n for n in names if n == one.get("part")), mine[0].part),
            remedy=_short(one.get("change")),
        )
        covered |= {d.label for d in mine}
    return covered


def _short(value: Any) -> str:
    return " ".join(value.split())[:SENTENCE] if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _schema(names: Sequence[str]) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    several = {"type": "array", "items": text}
    part = {"type": "string", "enum": list(names)}
    pattern = {"name": text, "labels": several, "gap": text, "change": text, "part": part}
    patterns = {"type": "array", "items": object_schema(pattern)}
    return object_schema({"patterns": patterns, "themes": several})
