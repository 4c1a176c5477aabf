"""The one protocol through which a language model is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from optimand.core.record import NOTHING, Status, Usage

__all__ = ["Client", "Message", "Reply", "Request", "object_schema"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A chat completion request. None leaves a setting at the service's default.

    `seed` makes the reply repeatable where the service supports it. At most one of `schema`
    (a JSON schema) and `choices` (the reply must be one of these texts) may be set.
    """

    messages: tuple[Message, ...]
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] | None = None


def object_schema(
    fields: Mapping[str, Any], required: Sequence[str] | None = None
) -> dict[str, Any]:
    """The JSON schema of an object with these fields and no others; all `required` by default."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields if required is None else required),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. It never raises: a failed call or parse is a status.

    ok: `text` is the reply, and `parsed` the value where a schema or choices were asked for.
    invalid: the model answered, but not in the form asked for (after one repair), or refused the
    request as malformed; `error` says why. unknown: the service failed after all retries.
    """

    text: str
    parsed: Any = None
    usage: Usage = NOTHING
    seconds: float = 0.0
    status: Status = "ok"
    error: str = ""
    finish: str = "stop"


@runtime_checkable
class Client(Protocol):
    """A language model behind some endpoint.

    Contract: `complete` never raises for a failing call (see Reply); it raises SetupError only for
    what no retry can mend (no key, key refused, no such model). `name` identifies model and
    endpoint in cache keys and reports and holds no secret. `width` is how many calls it is
    sensible to keep in flight. `close` frees what the client holds and may be called twice.
    """

    name: str
    width: int

    async def complete(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...
