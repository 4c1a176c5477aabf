"""Editors, which are instructions to a proposer, and steps in which a model improves them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimand.core.model import object_schema
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.edit import instructed
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import render

__all__ = [
    "BASES",
    "COMPOSED",
    "INSTRUCTION",
    "Editor",
    "compose",
    "rewrite_instruction",
]

INSTRUCTION, COMPOSED = "instruction", "composed"
"""Where a trial's `meta` holds new instructions, and a composition of editors."""
LONGEST = 4_000
"""Characters of instructions that are taken from a reply."""
MOST = 4


@dataclass(frozen=True)
class Editor:
    """Instructions under a name; `operator` follows them.

    What a model wrote is quoted in a fixed template, and never used as one.
    """

    name: str
    instruction: str

    @property
    def operator(self) -> Operator:
        """A rewrite by these instructions."""
        return instructed(self.name, self.instruction)


BASES = (
    Editor(
        "gradient",
        "Work out, case by case, what in the text caused each failure and how the text should "
        "change. Make these changes and no others; what leads to success stays word for word.",
    ),
    Editor(
        "redesign",
        "Work out what the task demands beyond what the text says: steps to take, rules to keep, "
        "pitfalls. Write the text anew around that, clear and complete.",
    ),
)
"""What metaTextGrad starts from, in our words: TextGrad's descent step, and ADAS."""


def rewrite_instruction(editor: Editor, role: str = "meta") -> Operator:
    """Ask `role` for better instructions of `editor`; they are in the trial's meta, or its `why`.

    It is shown the first parent, and what the query shows of the task.
    """

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        values = {
            "current": render(context, evidence.parents[0]),
            "instruction": editor.instruction,
        }
        text = prompt("meta_prompt", values, evidence.blocks)
        reply = await ask(
            context, role, text, schema=object_schema({"instruction": {"type": "string"}})
        )
        written = _instruction(reply.parsed)
        if not written:
            return [Trial(None, False, "no instructions could be read")]
        return [Trial(None, False, "", meta={INSTRUCTION: written})]

    return operator


def compose(scored: Mapping[Editor, float], role: str = "meta") -> Operator:
    """Ask `role` for a composition of editors, given with their scores.

    The trial's meta holds a tuple of editors to be applied in order: known ones, or one new one.
    """
    known = {editor.name: editor for editor in scored}

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:  # noqa: ARG001
        ranked = sorted(scored, key=lambda one: scored[one])
        listed = [f"### {e.name}: score {scored[e]:.3f}\n{e.instruction}" for e in ranked]
        text = prompt("meta_structure", {"editors": "\n\n".join(listed)}, {})
        order = {"type": "array", "items": {"type": "string", "enum": list(known)}}
        schema = object_schema({"order": order, "instruction": {"type": "string"}})
        parsed = (await ask(context, role, text, schema=schema)).parsed
        given = parsed.get("order") if isinstance(parsed, Mapping) else None
        names = [n for n in given if n in known] if isinstance(given, list) else []
        made = tuple(known[name] for name in names[:MOST])
        if not made and (written := _instruction(parsed)):
            made = (Editor(f"hybrid-{context.number}", written),)
        if not made:
            return [Trial(None, False, "no composition could be read")]
        return [Trial(None, False, "", meta={COMPOSED: made})]

    return operator


def _instruction(parsed: Any) -> str:
    found = parsed.get("instruction") if isinstance(parsed, Mapping) else None
    return found.strip()[:LONGEST] if isinstance(found, str) else ""
