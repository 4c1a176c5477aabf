"""What tasks, judges, clients and logs answer, checked before it is used: it may be anybody's."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from optimand.core.codec import SHAPE, USAGE
from optimand.core.errors import InputError, StorageError
from optimand.core.example import Example
from optimand.core.keys import canonical
from optimand.core.model import Client, Reply, Request
from optimand.core.record import Judgement, Record, Usage
from optimand.core.shapes import misfit
from optimand.core.store import Event
from optimand.core.usercode import shown, staying

__all__ = ["check_about", "check_judgement", "check_reply", "check_storable", "replied"]

_REPLY = ("text", "error", "finish", "status", "seconds")


def check_storable(record: Record, candidate: str, example: Example, most: int = 0) -> None:
    """Raise InputError, naming candidate and example, for a record that no log can hold.

    So for one of more environment steps than `most`, the task's `steps_per_run`; 0 is no promise.
    """
    if not isinstance(record, Record):
        raise InputError(
            f"candidate {candidate!r} on example {example.id!r}: "
            f"the task answered {shown(record)}, which is not a Record"
        )
    for name in ("output", "trace", "objectives"):
        value = getattr(record, name)
        if not _plain(value):
            _check(value, f"candidate {candidate!r} on example {example.id!r}: the {name}")
    if most and record.usage.steps > most:
        raise InputError(
            f"candidate {candidate!r} on example {example.id!r}: the task took "
            f"{record.usage.steps} steps, more than its steps_per_run, {most}. Make that the most "
            "that one execution may take."
        )


def check_judgement(judgement: Judgement, judge: str, example: Example) -> None:
    """Raise InputError, naming judge and example, for a judgement of no meaning."""
    if not _plain(judgement.details):
        _check(judgement.details, f"judge {judge!r} on example {example.id!r}: the details")
    if judgement.status != "ok":
        return
    value = judgement.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(
            f"judge {judge!r} answered {shown(value)} for example {example.id!r}: "
            "a judgement must be a number from 0 to 1"
        )


async def replied(client: Client, request: Request) -> Reply:
    """The client's reply. Raises InputError, naming the client, for what is none."""
    with staying(f"client {client.name!r}"):
        reply: Any = client.complete(request)
        if inspect.isawaitable(reply):
            reply = await reply
    return check_reply(reply, f"client {client.name!r}")


def check_reply(reply: Any, what: str) -> Reply:
    """The reply. Raises InputError unless it is a Reply whose fields are what they should be."""
    if not isinstance(reply, Reply):
        raise InputError(f"{what} answered {shown(reply)}. It must answer a Reply.")
    wrong = misfit({name: getattr(reply, name) for name in _REPLY}, SHAPE)
    if not isinstance(reply.usage, Usage):
        wrong = f"'usage' is {shown(reply.usage)}, it must be a Usage"
    wrong = wrong or misfit({name: getattr(reply.usage, name) for name in USAGE}, USAGE)
    if wrong:
        raise InputError(f"{what} answered a Reply that cannot be used: {wrong}.")
    return reply


def check_about(event: Event, labels: Mapping[str, str], study: str) -> None:
    """Raise StorageError for a stored call of other candidates than its key says."""
    for name in ("candidate", "a", "b"):
        if event.body.get(name, labels.get(name)) != labels.get(name, event.body.get(name)):
            raise StorageError(
                f"event {event.seq} of study {study!r}: its {name!r} is not what its key says: the "
                "store is damaged. Restore a copy, or begin the study in another store."
            )


def _plain(value: Any) -> bool:
    """Most values, at no cost."""
    return (
        value is None or isinstance(value, str | int | float) or (type(value) is dict and not value)
    )


def _check(value: Any, what: str) -> None:
    try:
        canonical(value)
    except InputError as error:
        raise InputError(f"{what} cannot be kept in the log: {error}") from None
