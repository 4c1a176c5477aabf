"""Conformance of clients: every clause of the contract of Client."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar, get_args

from optimand.core.codec import pack, unpack
from optimand.core.keys import canonical
from optimand.core.model import Client, Message, Reply, Request
from optimand.core.record import Status, Usage
from optimand.testing.clauses import expect

__all__ = ["CLIENT_CLAUSES", "check_client"]

MakeClient = Callable[[], Client]
T = TypeVar("T")

CHOICES = ("yes", "no")
SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "integer"}},
    "required": ["grade"],
    "additionalProperties": False,
}


def check_client(make_client: MakeClient) -> None:
    """Check every clause; raises AssertionError that names what is broken.

    Each call of `make_client` makes a client of the same model, which must be able to answer.
    Asks a few short questions for each clause. For one test per clause, parametrize over
    CLIENT_CLAUSES.
    """
    for clause in CLIENT_CLAUSES:
        clause(make_client)


def request(text: str = "Is water wet?", **settings: object) -> Request:
    """A short question."""
    return Request((Message("user", text),), max_tokens=12, seed=1, **settings)  # type: ignore[arg-type]


def names_itself(make_client: MakeClient) -> None:
    """A name that is the same each time, a width, and no secret in either name or repr."""
    client = make_client()
    expect(isinstance(client, Client), "a client has name, width, complete and close")
    expect(bool(client.name) and client.name.isprintable(), "a name in one line")
    expect(make_client().name == client.name, "the name is the same each time")
    expect(type(client.width) is int and client.width >= 1, "a width of at least 1")
    for variable, value in os.environ.items():
        if re.search("KEY|TOKEN|SECRET|PASSWORD", variable) and len(value) >= 8:
            shown = (
                f"{client.name} {client!r} {vars(client) if hasattr(client, '__dict__') else ''}"
            )
            expect(value not in shown, f"the value of {variable} is not shown")


def answers_in_text(make_client: MakeClient) -> None:
    """Also with a system prompt, settings, earlier turns and text of any kind."""
    chat = (
        Message("system", "Answer with one word."),
        Message("user", "1 + 1?"),
        Message("assistant", "2"),
        Message("user", "{name} %s \\ \x00 ä漢 \ud800 <<form>>"),
    )
    long = Request(chat, temperature=0.5, top_p=0.9, max_tokens=8, stop=("\n\n",), seed=7)

    async def ask(client: Client) -> tuple[Reply, Reply]:
        return await client.complete(request()), await client.complete(long)

    for reply in _with(make_client, ask):
        _check(reply)
        expect(reply.status == "ok", f"a plain question is answered, not {reply.error!r}")
        expect(reply.parsed is None, "nothing is parsed where no form was asked for")


def keeps_to_choices(make_client: MakeClient) -> None:
    """`parsed` is one of the choices, or the reply is invalid."""
    reply = _with(make_client, lambda client: client.complete(request(choices=CHOICES)))
    _check(reply)
    if reply.status == "ok":
        expect(reply.parsed in CHOICES, f"one of {CHOICES} is parsed, not {reply.parsed!r}")


def keeps_to_a_schema(make_client: MakeClient) -> None:
    """`parsed` fits the schema, or the reply is invalid."""
    reply = _with(make_client, lambda client: client.complete(request("Grade it.", schema=SCHEMA)))
    _check(reply)
    if reply.status == "ok":
        good = isinstance(reply.parsed, dict) and list(reply.parsed) == ["grade"]
        expect(good and type(reply.parsed["grade"]) is int, f"{reply.parsed!r} fits the schema")


def answers_many_at_once(make_client: MakeClient) -> None:
    """Four calls at once are all answered, whatever the width."""

    async def ask(client: Client) -> list[Reply]:
        calls = [client.complete(request(f"Say {n}.")) for n in range(4)]
        return list(await asyncio.gather(*calls))

    for reply in _with(make_client, ask):
        _check(reply)


def replies_can_be_stored(make_client: MakeClient) -> None:
    """A reply comes back from its JSON form as it was."""

    async def ask(client: Client) -> list[Reply]:
        asked = (request(), request(choices=CHOICES), request("Grade it.", schema=SCHEMA))
        return [await client.complete(one) for one in asked]

    for reply in _with(make_client, ask):
        body = json.loads(canonical(pack(reply)))
        expect(unpack(Reply, body) == reply, "a reply comes back as it was stored")


def closes_twice_and_serves_again(make_client: MakeClient) -> None:
    """Closing twice is fine, and a client that was closed serves the next event loop."""
    client = make_client()
    for _ in range(2):
        _check(_with(lambda: client, lambda client: client.complete(request("Say it again."))))


def _with(make_client: MakeClient, use: Callable[[Client], Awaitable[T]]) -> T:
    """What `use` gives for a client, which is closed twice after."""

    async def work() -> T:
        client = make_client()
        try:
            return await use(client)
        finally:
            await client.close()
            await client.close()

    return asyncio.run(work())


def _check(reply: Reply) -> None:
    expect(isinstance(reply, Reply), f"a Reply, not {reply!r}")
    expect(reply.status in get_args(Status), f"a known status, not {reply.status!r}")
    expect(reply.status in ("ok", "invalid"), f"the service answers: {reply.error}")
    expect(bool(reply.error) == (reply.status != "ok"), "an error if and only if it is not ok")
    expect(isinstance(reply.text, str) and isinstance(reply.finish, str), "text and finish")
    expect(reply.seconds >= 0 and math.isfinite(reply.seconds), "seconds of 0 or more")
    usage: Usage = reply.usage
    counts = (usage.calls, usage.input_tokens, usage.output_tokens, usage.unpriced)
    expect(all(type(n) is int and n >= 0 for n in counts), "whole counts of 0 or more")
    expect(usage.usd >= 0 and math.isfinite(usage.usd), "dollars of 0 or more")
    expect(usage.unpriced <= usage.calls, "no more unpriced calls than calls")


CLIENT_CLAUSES: tuple[Callable[[MakeClient], None], ...] = (
    names_itself,
    answers_in_text,
    keeps_to_choices,
    keeps_to_a_schema,
    answers_many_at_once,
    replies_can_be_stored,
    closes_twice_and_serves_again,
)
"""Every clause by itself; each takes what `check_client` takes."""
