"""What a failed call means: try again, give up, or something to set right first."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from optimand.core.record import NOTHING, Status, Usage
from optimand.llm.retry import retry_after
from optimand.llm.secrets import hider

__all__ = ["Failure", "body_text", "error_text", "failure_of", "status_failure", "tidy"]

_LONGEST = 300
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Failure:
    """One try that brought no reply.

    `usage` is what the service said it charged. `final`: another try cannot help. `setup`: the
    user has to set something right. `overload`: the service asks for fewer calls. `wait`: the
    seconds it asks to wait. `adapted`: the next try will do without what was refused.
    """

    problem: str
    code: int = 0
    status: Status = "unknown"
    wait: float | None = None
    usage: Usage = NOTHING
    final: bool = False
    setup: bool = False
    overload: bool = False
    adapted: bool = False


def status_failure(code: int, problem: str, usage: Usage = NOTHING) -> Failure:
    """The meaning of an HTTP status; 0 for an answer that told none."""
    text = problem.lower()
    if code == 403 and ("moderation" in text or "flagged" in text):
        return Failure(problem, code, "invalid", usage=usage, final=True)
    if code in (401, 403, 404) or 300 <= code < 400:
        return Failure(problem, code, usage=usage, final=True, setup=True)
    if code == 402 or (code == 429 and "quota" in text and "billing" in text):
        return Failure(problem, code, usage=usage, final=True)
    if code in (429, 503, 529):
        return Failure(problem, code, usage=usage, overload=True)
    if 400 <= code < 500 and code not in (408, 409, 425):
        return Failure(problem, code, "invalid", usage=usage, final=True)
    return Failure(problem, code, usage=usage)


def failure_of(error: Exception, timeout: float) -> Failure:
    """The meaning of what the SDK, or a timeout, raised. Raises `error` again if it is neither.

    Nothing is charged: no service bills an answer that it did not give. What an answer of no use
    cost is not known.
    """
    import openai

    from optimand.llm.bounded import Unusable

    # The SDK reads the body by the encoding that it claims to have, and fails where that is wrong.
    source = error.__context__ if isinstance(error, UnicodeError) else error
    if (response := getattr(source, "response", None)) is not None:
        headers: Mapping[str, str] = response.headers
        text = error_text(body_text(response)) or "no reason given"
        if 300 <= response.status_code < 400:
            text = f"it sends on to {headers.get('location', 'nowhere')}"
        failure = status_failure(response.status_code, text)
        return replace(failure, wait=retry_after(headers, time.time()))
    if isinstance(error, UnicodeError):
        return Failure("the answer is not text")
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Failure(f"no answer within {timeout:g} s")
    for found in (error, error.__cause__):  # versions of the SDK differ in whether they wrap it
        if isinstance(found, Unusable):
            return Failure(str(found), status="invalid", usage=Usage(1, unpriced=1), final=True)
    if isinstance(error, openai.APIConnectionError):
        return Failure(f"the connection failed ({type(error.__cause__ or error).__name__})")
    raise error


def body_text(response: Any) -> str:
    """The text of an answer's body, whatever encoding it says it has; JSON is UTF-8 (RFC 8259)."""
    data: bytes = response.content
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        pass
    try:
        return str(response.text)
    except (UnicodeError, LookupError):
        return data.decode("utf-8", "replace")


def error_text(text: str) -> str:
    """The message within an error's body, or the body itself."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    if isinstance(found, str):
        return found
    try:
        # For people to read: no marks of escaping, in which a key would not be found.
        return re.sub(r'\\(["\\])', r"\1", json.dumps(found, ensure_ascii=False))
    except RecursionError:
        return text


def tidy(text: str, secret: str) -> str:
    """Text of a service in one short line of printable characters, without the secret."""
    text = hider(secret, error=True)(text[:_MOST])
    printable = "".join(char if char.isprintable() else " " for char in text)
    text = " ".join(printable.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
