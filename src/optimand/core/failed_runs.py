"""How many executions failed, and of what: said wherever a verdict is, since a failure looks like a
low score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from optimand.core.record import Comparison, Record

__all__ = ["FailedRuns", "failed_runs"]

LONG, KINDS = 120, 1000
_PLACE = re.compile(r" \(\S+, line \d+: .*\)\Z")
"""Where in the user's code it was: a record tells it, a sentence need not."""
_WORDS = {
    "crash": "crashed",
    "timeout": "timed out",
    "invalid": "gave an invalid output",
    "unknown": "had no answer from a service",
}


class FailedRuns:
    """Counts the executions a strategy was shown, those that failed, by status, and their texts."""

    def __init__(self) -> None:
        self._runs = self._comparisons = self._unjudged = 0
        self._status: Counter[str] = Counter()
        self._texts: Counter[str] = Counter()

    def take(self, records: Iterable[Record]) -> None:
        """Count these executions."""
        for record in records:
            self._runs += 1
            if record.status != "ok":
                self._status[record.status] += 1
                self._note(record.feedback)

    def compare(self, comparison: Comparison, records: Iterable[Record]) -> None:
        """Count a comparison, and the executions that it is of."""
        seen = tuple(records)
        self.take(seen)
        self._comparisons += 1
        if comparison.outcome is None and all(r.status != "unknown" for r in seen):
            self._unjudged += 1
            self._note(comparison.feedback)

    def _note(self, text: str) -> None:
        """Count a text by its beginning; no more kinds of text are kept than can matter."""
        short = _PLACE.sub("", " ".join(text.split()))
        short = short if len(short) <= LONG else f"{short[: LONG - 1]}…"
        if short and (short in self._texts or len(self._texts) < KINDS):
            self._texts[short] += 1

    def to_json(self) -> dict[str, Any]:
        """{runs, status: {status: count}, error: the commonest text}; empty if none failed.

        With comparisons that the judge gave no outcome of: `comparisons` and `unjudged` too.
        """
        if not self._status and not self._unjudged:
            return {}
        found: dict[str, Any] = {"runs": self._runs, "status": dict(self._status)}
        if self._unjudged:
            found |= {"comparisons": self._comparisons, "unjudged": self._unjudged}
        return {**found, "error": max(self._texts, key=self._texts.__getitem__, default="")}


def failed_runs(failures: Mapping[str, Any], *, error: bool = True) -> str:
    """`Verdict.failures` in words: "7 of 20 runs crashed: ZeroDivisionError: division by zero".

    Empty if none failed; without the text if not `error`.
    """
    kinds: Mapping[str, int] = failures.get("status", {})
    parts = [f"{n:,} {_WORDS.get(kind, kind)}" for kind, n in kinds.items() if n]
    if parts:
        count, _, word = parts[0].partition(" ")
        parts[0] = f"{count} of {failures['runs']:,} runs {word}"
    if failures.get("unjudged"):
        made = f"{failures['comparisons']:,}"
        parts.append(f"{failures['unjudged']:,} of {made} comparisons got no judgement")
    said = ", ".join(parts)
    text = failures.get("error", "") if error else ""
    if not said or not text:
        return said
    several = sum(map(bool, kinds.values())) + bool(failures.get("unjudged")) > 1
    return f"{said}{'; most often' if several else ''}: {text}"
