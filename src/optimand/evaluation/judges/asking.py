"""One question to a judging model, and how several answers become one judgement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from optimand.core.checks import replied
from optimand.core.errors import InputError
from optimand.core.keys import seed_from
from optimand.core.model import Client, Request
from optimand.core.record import NOTHING, Judgement, Status, Usage

__all__ = ["Ask", "Slot", "Use", "audited", "judgement", "put", "require_share"]

Slot = Literal["a", "b"]
Use = Literal["outcome", "swap", "repeat"]
"""What an answer is for: it decides, or it is a swapped or repeated question for the readout."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One answer. `value` is None where the service failed or the reply could not be read.

    `first` is the candidate that stood first in the question, None where there is only one.
    """

    use: Use
    value: float | None
    first: Slot | None = None
    status: Status = "ok"
    feedback: str = ""
    usage: Usage = NOTHING

    def detail(self) -> dict[str, Any]:
        """What the consistency readout needs, as plain JSON."""
        return {"use": self.use, "first": self.first, "value": self.value, "status": self.status}


async def put(
    client: Client,
    request: Request,
    read: Callable[[Any], tuple[float, str]],
    use: Use,
    first: Slot | None = None,
) -> Ask:
    """Asks once. `read` turns the parsed reply into (value, feedback), or raises ValueError.

    A reply that cannot be read has status "invalid"; a failed service has "unknown".
    """
    reply = await replied(client, request)
    if reply.status not in ("ok", "invalid"):
        return Ask(use, None, first, "unknown", reply.error, reply.usage)
    if reply.status == "ok":
        try:
            value, feedback = read(reply.parsed)
        except (ValueError, TypeError, KeyError):
            return Ask(use, None, first, "invalid", "the reply is not a verdict", reply.usage)
        return Ask(use, value, first, "ok", feedback, reply.usage)
    return Ask(use, None, first, "invalid", reply.error, reply.usage)


def audited(share: float, seed: int) -> bool:
    """Whether this question is also asked again, decided by the seed alone."""
    return seed_from("audit", seed) < share * 2**31


def judgement(
    asks: Sequence[Ask],
    details: Mapping[str, Any] | None = None,
    candidates: tuple[str, str] = ("", ""),
) -> Judgement:
    """The judgement of the asks that decide; disagreement between them is a tie.

    With a decisive answer missing the value is None, which is never a loss; the status is "unknown"
    where the service failed and "invalid" where its reply could not be read. The usage and the
    details cover the audits too. `candidates` are the ids of a and b, to say in the feedback
    which of them stood first.
    """
    deciding = [ask for ask in asks if ask.use == "outcome"]
    usage = sum((ask.usage for ask in asks), NOTHING)
    failed = next((ask for ask in deciding if ask.value is None), None)
    values = {ask.value for ask in deciding}
    value = None if failed else deciding[0].value if len(values) == 1 else 0.5
    kept = {"asks": [ask.detail() for ask in asks], "value": value, **(details or {})}
    if failed:
        feedback = f"no verdict from the judge: {failed.feedback or failed.status}"
        status: Status = "unknown" if any(a.status == "unknown" for a in deciding) else "invalid"
        return Judgement(None, feedback, usage, status, kept)
    feedback = "\n".join(_placed(ask, candidates) for ask in deciding if ask.feedback)
    return Judgement(value, feedback, usage, "ok", kept)


def _placed(ask: Ask, candidates: tuple[str, str]) -> str:
    if ask.first is None:
        return ask.feedback
    first, second = candidates if ask.first == "a" else candidates[::-1]
    return f"(shown first: {first}, second: {second}) {ask.feedback}"


def require_share(judge: str, audit: float) -> None:
    """Raises InputError unless the audit share is in [0, 1]."""
    if not 0 <= audit <= 1:
        raise InputError(f"judge {judge!r}: audit is {audit}. It must be a share from 0 to 1.")
