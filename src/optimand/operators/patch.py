"""Diagnose, note the patterns, and patch the parts that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.memory.notes import Notes
from optimand.operators.diagnose import Diagnosis, diagnosed, failed
from optimand.operators.edit import edit
from optimand.operators.momentum import Merge, told
from optimand.queries.blocks import PASSED, failures, limits
from optimand.queries.query import with_block

__all__ = ["patch"]


def patch(
    notes: Notes,
    merge: Merge,
    *,
    role: str = "proposer",
    critic: str = "critic",
    below: float = PASSED,
    aimed: bool = True,
) -> Operator:
    """Patch the first parent for what it fails (scores below `below`), keeping `notes`.

    Each failure is diagnosed by `critic`, diagnoses are merged into the notes (before the patch; in
    the first round after it), and `role` writes the patch. With `aimed` only parts that the
    diagnoses and the lasting patterns name may change, all where none is named. Without a failure
    nothing is proposed. A trial's `meta` has the `parts` that it was allowed.
    """
    write = edit("patch", role, name="patch")

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        parent = evidence.parents[0]
        found = await diagnosed(context, evidence, [e.name for e in notes], critic, below)
        first, themes = not len(notes), ""
        if not first:
            themes = await merge(context, found, notes)
        trials: list[Trial] = []
        if any(failed(record, below) for record in evidence.of(parent)):
            mine = replace(evidence, parents=(parent,), records=evidence.of(parent))
            mine = _shown(context, mine, found, notes, themes)
            parts = _named(context, found, notes) if aimed else context.surface.names
            written = await write(context.narrowed(parts=parts), mine)
            trials = [replace(t, meta={"parts": parts}) for t in written]
        if first:
            await merge(context, found, notes)
        return trials

    return carry_out


def _shown(
    context: Context, evidence: Evidence, found: Sequence[Diagnosis], notes: Notes, themes: str
) -> Evidence:
    """The evidence with what the patch is to be made from."""
    wrong = "\n".join(f"- {d.label}: {d.text}" for d in found if not d.passed)
    right = "\n".join(f"- {d.text}" for d in found if d.passed)
    values = context.surface.current(evidence.parents[0].artifact)
    every = ", ".join(f"{name} ({len(str(value))} characters)" for name, value in values.items())
    for name, text in (
        ("all_parts", every if len(values) > 1 else ""),
        ("lasting_patterns", told(notes)),
        ("themes", themes),
        ("diagnoses", wrong),
        ("right_at_last", right),
        ("failures", failures(context, evidence)),
        ("limits", limits(context, evidence)),
    ):
        evidence = with_block(evidence, name, text)
    return evidence


def _named(context: Context, found: Sequence[Diagnosis], notes: Notes) -> tuple[str, ...]:
    """The parts named by this round's failures and the patterns they belong to, in order."""
    examples = {d.example for d in found if not d.passed}
    named = {d.part for d in found if not d.passed}
    named |= {entry.part for entry in notes if examples & set(entry.seen)}
    names: tuple[str, ...] = context.surface.names
    return tuple(name for name in names if name in named) or names
