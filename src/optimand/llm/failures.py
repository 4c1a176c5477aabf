"""What a failed call means: try again, give up, or something to set right first."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from optimand.core.record import NOTHING, Status, Usage
from optimand.llm.retry import retry_after

__all__ = ["Failure", "error_text", "failure_of", "status_failure", "tidy"]

_LONGEST = 300


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
    if code in (401, 403, 404):
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

    Nothing is charged: no service bills an answer that it did not give.
    """
    import openai

    if isinstance(error, openai.APIStatusError):
        headers: Mapping[str, str] = error.response.headers
        text = error_text(error.response.text) or "no reason given"
        failure = status_failure(error.status_code, text)
        return replace(failure, wait=retry_after(headers, time.time()))
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Failure(f"no answer within {timeout:g} s")
    if isinstance(error, openai.APIConnectionError):
        return Failure(f"the connection failed ({type(error.__cause__ or error).__name__})")
    raise error


def error_text(text: str) -> str:
    """The message within an error's body, or the body itself."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    return found if isinstance(found, str) else json.dumps(found)


def tidy(text: str, secret: str) -> str:
    """Text of a service in one short line, without the secret."""
    if len(secret) >= 4:  # a shorter one is no real key, and would be found everywhere
        text = text.replace(secret, "[key]")
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
