"""When calls are paid for and say nothing, again and again: the run ends, with the reason."""

from __future__ import annotations

from optimand.core.errors import InputError, ServiceUnavailable
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record

__all__ = ["Futility", "complaint"]

UNREADABLE = 20
"""How many judgements in a row that cannot be read end the run."""
CRASHES = 100
"""How many crashed executions in a row, of any candidates, end the run."""


class Futility:
    """Counts a run's calls that came to nothing."""

    def __init__(self) -> None:
        self._crashes = 0
        self._unreadable = 0
        self._asked = False

    def count(self, value: Record | Comparison | Judgement | Reply) -> None:
        """Take note of a call's result. Raises InputError or ServiceUnavailable at the limit."""
        if isinstance(value, Record):
            self._count_crash(value)
        elif isinstance(value, Comparison | Judgement):
            self._count_unreadable(value)

    def _count_crash(self, value: Record) -> None:
        self._crashes = self._crashes + 1 if value.status == "crash" else 0
        if self._crashes >= CRASHES:
            raise InputError(
                f"{CRASHES} executions in a row crashed, the last with: {complaint(value)}. "
                "Nothing can be compared so; mend what runs the candidates."
            )

    def _count_unreadable(self, value: Comparison | Judgement) -> None:
        asked = bool(value.usage.calls)
        if value.status == "invalid":
            self._unreadable, self._asked = self._unreadable + 1, asked
        elif asked or not self._asked:  # what cost no call says nothing of a judge that is asked
            self._unreadable = 0
        if self._unreadable >= UNREADABLE:
            raise ServiceUnavailable(
                f"{UNREADABLE} answers of the judge in a row could not be read: "
                f"{complaint(value)}. Try a stronger judging model, or a simpler rubric."
            )


def complaint(value: Record | Comparison | Judgement | Reply) -> str:
    """What a call's result says of why it failed."""
    text = value.error if isinstance(value, Reply) else value.feedback
    return text or "the service failed and gave no reason"
