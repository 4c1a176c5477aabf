"""The embedded model: SmolLM2-135M-Instruct in this process, on the CPU."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from optimand.core.errors import SetupError
from optimand.core.model import Reply, Request
from optimand.core.record import Usage
from optimand.llm.failures import error_text
from optimand.llm.models import locate
from optimand.llm.wire import encodable

__all__ = ["Embedded"]

CONTEXT = 2048
OWN = "OPTIMAND_THREADS"
LOOKS, LOOK_SECONDS = 20, 0.01
_LOCK = threading.Lock()
ENOUGH, LONG = 0.8, 0.5
"""Several threads that work for less than this share of a reply's seconds, if these are as many,
mostly wait for one another."""


class _Loaded(NamedTuple):
    server: Any
    threads: int


_SERVERS: dict[str, _Loaded] = {}
_CROWDED: set[str] = set()
"""Models for which several threads were slower than one would be."""


class Embedded:
    """A Client; replies are free, and the same for the same request and seed.

    One call at a time: two would share the same cores. Loads on the first call, once a process.
    Uses the cores that are idle when it loads, at least one, or OPTIMAND_THREADS threads. Where
    several get less done than one would, since others came to use the cores, it loads again with
    one. Replies do not depend on the number.
    """

    name = "embedded:SmolLM2-135M-Instruct-Q4_1"
    width = 1

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol; raises SetupError when the model or its library is missing."""
        return await asyncio.to_thread(_complete, _body(request))

    async def close(self) -> None:
        """The model stays loaded for the next client of this process."""


def _body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": m.role, "content": encodable(m.content)} for m in request.messages],
        "seed": request.seed or 0,
        "cache_prompt": False,  # a reused prefix would make replies depend on earlier calls
    }
    for name in ("temperature", "top_p", "max_tokens"):
        value = getattr(request, name)
        if value is not None:
            body[name] = value
    if request.stop:
        body["stop"] = list(request.stop)
    schema = {"enum": list(request.choices)} if request.choices else request.schema
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
    return body


def _complete(body: dict[str, Any]) -> Reply:
    with _LOCK:
        server = _server()
        began, worked = time.perf_counter(), time.process_time()
        try:
            answer = server.handle_chat_completions(body)
        except ValueError as error:  # a schema that it cannot make a grammar of
            return Reply("", status="invalid", error=str(error), finish="error")
        seconds = time.perf_counter() - began
        _reconsider(time.process_time() - worked, seconds)
    if "choices" not in answer:
        refusal = error_text(json.dumps(answer))
        return Reply("", seconds=seconds, status="invalid", error=refusal, finish="error")
    choice = answer["choices"][0]
    text = choice["message"].get("content") or ""
    spent = answer.get("usage", {})
    usage = Usage(1, spent.get("prompt_tokens", 0), spent.get("completion_tokens", 0))
    finish = choice.get("finish_reason") or "stop"
    if "response_format" not in body:
        return Reply(text, None, usage, seconds, finish=finish)
    try:
        return Reply(text, json.loads(text), usage, seconds, finish=finish)
    except ValueError:
        problem = "the reply was cut before its form was complete"
        return Reply(text, None, usage, seconds, "invalid", problem, finish)


def _server() -> Any:
    path = str(locate())
    if path not in _SERVERS:
        try:
            import xllamacpp
        except ImportError as error:
            raise SetupError("install the extra: pip install 'optimand[embedded]'") from error
        settings = xllamacpp.CommonParams()
        settings.model.path = path
        settings.n_ctx = CONTEXT
        settings.n_parallel = 1
        settings.verbosity = -1
        threads = 1 if path in _CROWDED else int(os.environ.get(OWN) or _idle_cores())
        for pool in (settings.cpuparams, settings.cpuparams_batch):
            pool.n_threads = threads
            pool.poll = 0  # waiting threads that spin slow the others down many times
        _SERVERS[path] = _Loaded(xllamacpp.Server(settings), threads)
    return _SERVERS[path].server


def _reconsider(worked: float, seconds: float) -> None:
    """Load with one thread next time, if the threads worked for so little of these seconds.

    Threads take turns at every step: one that has to wait for a core holds up all, and the reply
    takes up to 30 times as long as with one thread. One alone works all the time that it gets.
    """
    path = str(locate())
    idle = seconds >= LONG and worked < ENOUGH * seconds
    if idle and _SERVERS[path].threads > 1 and not os.environ.get(OWN):
        _CROWDED.add(path)
        del _SERVERS[path]


def _idle_cores() -> int:
    """Threads beyond these wait for one another at every step: several times slower than one."""
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, round(cores - _others())))


def _others() -> float:
    """How many other threads want a core just now; the load of the last minute where unknown."""
    now = Path("/proc/loadavg")
    if not now.exists():
        return os.getloadavg()[0]
    seen = []
    for _ in range(LOOKS):
        seen.append(int(now.read_text().split()[3].partition("/")[0]) - 1)  # this one runs too
        time.sleep(LOOK_SECONDS)
    return sum(seen) / len(seen)
