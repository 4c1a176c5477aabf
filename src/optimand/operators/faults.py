"""Notes on what went wrong: one for each record and criterion, or several joined into one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from optimand.core.proposal import Evidence
from optimand.core.record import Record
from optimand.queries.blocks import PASSED, cases

__all__ = ["Note", "faults", "grouped", "joined"]


@dataclass(frozen=True)
class Note:
    """What is looked at together: examples, the criteria they failed, the cases, what was said.

    `criteria` is empty where the score and the feedback are the only criterion.
    """

    examples: tuple[str, ...]
    criteria: tuple[str, ...]
    cases: tuple[str, ...]
    said: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The cases and what was said of them."""
        return "\n\n".join((*self.cases, *self.said))


def faults(evidence: Evidence, criteria: Sequence[str] = ()) -> list[Note]:
    """A note for each record that failed, and each criterion that it failed, in their order.

    `criteria` are names of the records' objectives, in [0, 1]; one that a record lacks is not
    failed. Raises OptimandError for records of any split but "train" (see `blocks.cases`).
    """
    found = []
    for record in evidence.records:
        shown = tuple(cases(replace(evidence, records=(record,))))
        if shown and criteria:
            found += [Note((record.example,), (c,), shown) for c in _failed(record, criteria)]
        elif shown and (record.score or 0.0) < PASSED:
            found.append(Note((record.example,), (), shown))
    return found


def joined(notes: Iterable[Note]) -> Note:
    """All in one, each case and each criterion once."""
    every = list(notes)
    return Note(
        tuple(dict.fromkeys(e for n in every for e in n.examples)),
        tuple(dict.fromkeys(c for n in every for c in n.criteria)),
        tuple(dict.fromkeys(c for n in every for c in n.cases)),
        tuple(s for n in every for s in n.said),
    )


def grouped(notes: Iterable[Note], by: Callable[[Note], Hashable]) -> list[Note]:
    """Joined where `by` gives the same, in the order first met."""
    groups: dict[Hashable, list[Note]] = {}
    for note in notes:
        groups.setdefault(by(note), []).append(note)
    return [joined(group) for group in groups.values()]


def _failed(record: Record, criteria: Sequence[str]) -> list[str]:
    values = record.objectives
    return [name for name in criteria if name in values and values[name] < PASSED]
