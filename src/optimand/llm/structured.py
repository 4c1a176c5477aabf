"""Replies of a given form: asked for in words, parsed, and repaired once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from optimand.core.model import Message, Reply, Request, object_schema
from optimand.llm.reading import parse_structured

__all__ = ["complete_structured", "form_schema", "in_words"]

Ask = Callable[[Request], Awaitable[Reply]]


async def complete_structured(ask: Ask, request: Request, *, native: bool = False) -> Reply:
    """One call, and where a form is asked for a parse and at most one repair call.

    With `native`, `ask` holds the model to the form by its own means; otherwise the form is put in
    words. The usage and seconds of both calls are added. The result is ok with `parsed`, or
    invalid with the reason, or what a failed call gave. A first reply that comes with `parsed` is
    taken as it is.
    """
    if request.schema is None and request.choices is None:
        return await ask(request)
    asked = request if native else replace(in_words(request), schema=None, choices=None)
    first = await ask(asked)
    if first.parsed is not None:
        return first
    parsed, problem = _parsed(first, request)
    if first.status != "ok" or first.finish == "content_filter" or not problem:
        return _typed(first, parsed, problem)
    told = _template("repair").replace("<<form>>", _form(request)).replace("<<problem>>", problem)
    repair = (Message("assistant", first.text or "(nothing)"), Message("user", told))
    second = await ask(replace(asked, messages=asked.messages + repair))
    usage, seconds = first.usage + second.usage, first.seconds + second.seconds
    return _typed(replace(second, usage=usage, seconds=seconds), *_parsed(second, request))


def form_schema(request: Request) -> dict[str, Any] | None:
    """The JSON schema that the reply must fit: choices are an object with the field "choice"."""
    if request.choices is not None:
        return object_schema({"choice": {"type": "string", "enum": list(request.choices)}})
    if request.schema is None:
        return None
    plain: dict[str, Any] = json.loads(json.dumps(request.schema, default=dict))
    return plain


def in_words(request: Request) -> Request:
    """The request with its form told at the end of the last user turn, if it is not yet."""
    form = _form(request)
    messages = request.messages
    if not messages or messages[-1].role != "user":
        return replace(request, messages=(*messages, Message("user", form)))
    last = messages[-1]
    if last.content.endswith(form):
        return request
    told = replace(last, content=f"{last.content}\n\n{form}")
    return replace(request, messages=(*messages[:-1], told))


def _form(request: Request) -> str:
    """What the model is told about the form of its reply."""
    if request.choices is not None:
        return _template("choices").replace("<<choices>>", "\n".join(request.choices))
    schema = json.dumps(request.schema, default=dict, ensure_ascii=False)
    return _template("schema").replace("<<schema>>", schema)


@cache
def _template(name: str) -> str:
    return (files("optimand.llm") / "templates" / f"{name}.md").read_text(encoding="utf-8").strip()


def _parsed(reply: Reply, request: Request) -> tuple[Any, str]:
    try:
        return parse_structured(reply.text, request.schema, request.choices), ""
    except ValueError as error:
        return None, str(error)


def _typed(reply: Reply, parsed: Any, problem: str) -> Reply:
    if reply.status != "ok":
        return reply
    if problem:
        cut = " (it was cut at max_tokens)" if reply.finish == "length" else ""
        return replace(reply, status="invalid", error=f"the reply cannot be used: {problem}{cut}")
    return replace(reply, parsed=parsed)
