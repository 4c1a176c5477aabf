"""The chat-completions format: from a Request to a body, and from an answer to a Reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any

from optimand.core.model import Reply, Request
from optimand.core.record import NOTHING, Usage
from optimand.llm.failures import Failure, error_text, status_failure
from optimand.llm.schema import is_strict
from optimand.llm.secrets import Hide
from optimand.llm.structured import form_schema, in_words

__all__ = ["body_of", "encodable", "refused_feature", "reply_of"]

FORM = "response_format"

Tokens = Callable[[int, int, int], Usage]
"""From input, output and cached input tokens to the usage of one call."""

_MOST_TOKENS = 10**12
_FINISH = 64
_THOUGHT = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)


def body_of(model: str, request: Request, refused: Collection[str]) -> dict[str, Any]:
    """The body to send, without the features that the endpoint `refused` before."""
    body: dict[str, Any] = {"model": model}
    schema = form_schema(request)
    if schema is not None and FORM not in refused:
        form = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
        body[FORM] = {"type": "json_schema", "json_schema": form}
    elif schema is not None:
        request = in_words(request)
    body["messages"] = [{"role": m.role, "content": encodable(m.content)} for m in request.messages]
    for name in ("temperature", "top_p", "seed"):
        value = getattr(request, name)
        if value is not None and name not in refused:
            body[name] = value
    if request.max_tokens is not None:
        name = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
        body[name] = request.max_tokens
    if request.stop:
        body["stop"] = list(request.stop)
    return body


def refused_feature(problem: str, body: dict[str, Any]) -> str:
    """The feature of `body` that a refusal (status 400 or 422) names, if one can do without it.

    `seed` only helps to repeat a reply; `max_tokens` has a second name; a schema can be put in
    words. Sampling settings are never dropped: they are part of what is being compared.
    """
    text = problem.lower()
    if "max_tokens" in body and "max_completion_tokens" in text:
        return "max_tokens"
    if FORM in body and re.search(r"response_?\s?format|schema|structured.output", text):
        return FORM
    if "seed" in body and re.search(r"\bseed\b", text):
        return "seed"
    return ""


def reply_of(text: str, tokens: Tokens, hide: Hide = str) -> Reply | Failure:
    """The reply in the body of an answer with status 200, or why it holds none.

    Either carries what was charged: the usage that the answer tells, and else one call at an
    unknown price. `hide` takes the key out of what the model is said to have written.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Failure("the answer is not JSON", usage=Usage(1, unpriced=1))
    if not isinstance(found, dict):
        return Failure("the answer is not a JSON object", usage=Usage(1, unpriced=1))
    if error := found.get("error"):
        return status_failure(_code(error), error_text(text), _usage(found, tokens, NOTHING))
    usage = _usage(found, tokens, Usage(1, unpriced=1))
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return Failure("the answer holds no choice with a message", usage=usage)
    finish = hide(encodable(str(first.get("finish_reason") or "stop")))[:_FINISH]
    if finish == "error" or first.get("error"):
        error = first.get("error")
        return status_failure(_code(error), error_text(json.dumps(error or "it broke off")), usage)
    return Reply(hide(_content(message)), usage=usage, finish=finish)


def _content(message: dict[str, Any]) -> str:
    """The reply without the reasoning, which is a field of its own or a leading <think> block."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str) or not content:
        refusal = message.get("refusal")
        content = refusal if isinstance(refusal, str) else ""
    thought = _THOUGHT.match(content)
    return encodable(content[thought.end() :] if thought else content)


def encodable(text: str) -> str:
    """The text with lone surrogates, which JSON can hold and UTF-8 cannot, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _code(error: Any) -> int:
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return int(code) if code.isdecimal() and len(code) == 3 else 0


def _usage(found: dict[str, Any], tokens: Tokens, unknown: Usage) -> Usage:
    """What the answer says it used; `unknown` if it does not say."""
    told = found.get("usage")
    if not isinstance(told, dict):
        return unknown
    details = told.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    inputs, outputs = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    if inputs is None or outputs is None:
        return unknown
    # Some services count the reasoning in the total only, and charge it as output.
    outputs = max(outputs, (_count(told.get("total_tokens")) or 0) - inputs)
    return tokens(inputs, outputs, min(cached or 0, inputs))


def _count(value: Any) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if good else None
