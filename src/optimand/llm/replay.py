"""Recorded calls: a wrapper that keeps them, and a client that answers from them."""

from __future__ import annotations

import asyncio
import difflib
import hashlib
import json
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from typing import Any, NamedTuple

from optimand.core.codec import pack, parse
from optimand.core.errors import InputError, SetupError, StorageError
from optimand.core.given import need_client, need_whole
from optimand.core.keys import canonical, content_hash
from optimand.core.model import Client, Reply, Request
from optimand.core.paths import file_path
from optimand.core.shapes import LIST, MAPPING, TEXT, misfit

__all__ = ["Recorder", "Replay"]

_COMPARED = 100
_SHOWN = 1000


class Recorder:
    """A Client that passes calls on to `client` and appends each to a file of JSON lines.

    A line is on the disk before the reply is handed on. Replies with status unknown are not kept:
    they say nothing that should be repeated. Raises StorageError if the file cannot be written.
    """

    def __init__(self, client: Client, path: str | PathLike[str]) -> None:
        need_client(client, "the client of a Recorder")
        self.name = client.name
        self.width = client.width
        self._client = client
        self._path = file_path(path)
        self._lock = threading.Lock()

    @property
    def prices(self) -> str:
        """Which prices the calls are charged at, if the client within says so."""
        return str(getattr(self._client, "prices", ""))

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        reply = await self._client.complete(request)
        if reply.status != "unknown":
            call = {"client": self.name, "request": _plain(request), "reply": pack(reply)}
            await asyncio.to_thread(self._append, canonical(call).encode() + b"\n")
        return reply

    async def close(self) -> None:
        """Close the client within."""
        await self._client.close()

    def _append(self, line: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            with self._lock, open(os.open(self._path, flags, 0o600), "rb+", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    # A process that died while writing left half a line: end it.
                    line = line if file.read(1) == b"\n" else b"\n" + line
                if file.write(line) != len(line):
                    raise OSError("the line was written in part only; the disk may be full")
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageError(f"{self._path}: the call cannot be recorded: {error}") from error


class _Call(NamedTuple):
    request: Mapping[str, Any]
    reply: Reply


class Replay:
    """A Client that answers from a file that `Recorder` wrote; it never calls anything.

    The n-th time a request is asked, it gets the n-th reply recorded for it, with the usage as
    recorded. A request without one raises SetupError, which shows the nearest that was recorded.
    The name changes when the file does. Half a line, which a killed process leaves, is passed
    over. `width`: that of the client that was recorded; a wider one asks ahead for what was never
    asked. Raises InputError for a file that is not there, and for a line that was altered.
    """

    def __init__(self, path: str | PathLike[str], *, width: int = 1) -> None:
        need_whole(width, "the width of Replay")
        self.width = width
        self._path = file_path(path)
        self._calls: dict[str, list[_Call]] = defaultdict(list)
        self._asked: Counter[str] = Counter()
        self._broken = 0
        try:
            data = self._path.read_bytes()
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read: {error.strerror}.") from error
        names: set[str] = set()
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip(b"\r \t\0"):
                names.update(self._keep(line, number))
        digest = hashlib.blake2b(data, digest_size=4).hexdigest()
        self.name = f"replay:{','.join(sorted(names)) or 'nothing'}#{digest}"

    def _keep(self, line: bytes, number: int) -> tuple[str, ...]:
        """Remember a recorded call; the name of its client."""
        try:
            call = json.loads(line)
        except json.JSONDecodeError:
            self._broken += 1
            return ()
        except (ValueError, RecursionError) as error:  # not UTF-8, too large, too deep
            raise self._altered(number, str(error)) from error
        try:
            name, plain, reply = _read(call)
            key = content_hash(plain)
        except (ValueError, RecursionError) as error:
            raise self._altered(number, str(error)) from error
        self._calls[key].append(_Call(plain, reply))
        return (name,)

    def _altered(self, number: int, why: str) -> InputError:
        return InputError(
            f"{self._path} line {number}: not a recorded call: {why}. "
            "Record it again with Recorder, or remove the line."
        )

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol; raises SetupError for a call that was not recorded."""
        plain = _plain(request)
        key = content_hash(plain)
        recorded = self._calls.get(key, ())
        index = self._asked[key]
        if index >= len(recorded):
            raise SetupError(self._missing(plain, len(recorded)))
        self._asked[key] += 1
        return recorded[index].reply

    async def close(self) -> None:
        """Nothing to free."""

    def _missing(self, plain: Mapping[str, Any], times: int) -> str:
        way = "Record it again with Recorder."
        broken = f" {self._broken} lines of it cannot be read." if self._broken else ""
        if times:
            often = f"a request was recorded {times} times and is asked once more"
            return f"{self._path}: {often}. {way}"
        recorded = list(self._calls.values())[:_COMPARED]
        texts = {_text(c[0].request)[:_SHOWN]: _text(c[0].request) for c in recorded}
        if not texts:
            return f"{self._path}: there are no recorded calls.{broken} {way}"
        asked = _text(plain)
        nearest = difflib.get_close_matches(asked[:_SHOWN], texts, 1, cutoff=0.0)[0]
        diff = difflib.unified_diff(
            texts[nearest].splitlines(),
            asked.splitlines(),
            "nearest recorded",
            "asked",
            lineterm="",
            n=1,
        )
        shown = "\n".join(line[:200] for line in list(diff)[:40])
        return f"{self._path}: this request was not recorded.{broken} {way}\n{shown}"


def _read(call: Any) -> tuple[str, Mapping[str, Any], Reply]:
    """Client, request and reply of a recorded call; ValueError, which says why, for another."""
    _demand(misfit(call, {"client": TEXT, "request": MAPPING}, ("client", "request", "reply")))
    plain = call["request"]
    _demand(misfit(plain, {"messages": LIST}, ("messages",)), "request")
    for turn in plain["messages"]:
        _demand(misfit(turn, {"role": TEXT, "content": TEXT}, ("role", "content")), "message")
    try:
        reply = parse(Reply, call["reply"])
    except ValueError as error:
        raise ValueError(f"of its reply, {error}") from error
    if reply.status == "unknown":
        raise ValueError("its reply has the status 'unknown', which is never recorded")
    return call["client"], plain, reply


def _demand(wrong: str, of: str = "") -> None:
    if wrong:
        raise ValueError(f"of its {of}, {wrong}" if of else wrong)


def _plain(request: Request) -> dict[str, Any]:
    """The settings that are set, so that new fields do not change the key of old recordings."""
    body = {f.name: getattr(request, f.name) for f in fields(request) if f.name != "messages"}
    told = {name: value for name, value in body.items() if value not in (None, ())}
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    plain: dict[str, Any] = json.loads(canonical({"messages": messages, **told}))
    return plain


def _text(plain: Mapping[str, Any]) -> str:
    settings = [f"{k}: {canonical(v)}" for k, v in sorted(plain.items()) if k != "messages"]
    turns = [f"{turn['role']}: {turn['content']}" for turn in plain["messages"]]
    return "\n".join([*turns, *settings])
