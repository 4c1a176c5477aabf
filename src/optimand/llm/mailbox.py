"""A folder as a language model: requests are files that a person or a program answers."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Awaitable, Callable
from os import PathLike
from pathlib import Path
from typing import Any

from optimand.core.errors import SetupError
from optimand.core.given import need_number, need_whole
from optimand.core.keys import content_hash
from optimand.core.model import Reply, Request
from optimand.core.paths import file_path
from optimand.core.record import Usage
from optimand.core.turns import Turns
from optimand.llm.reading import parse_structured
from optimand.llm.structured import in_words

__all__ = ["Mailbox"]

_ANSWERS = ("answer.txt", "answer.md")
_LONGEST = 1_000_000


class Mailbox:
    """A Client that writes each request to NAME.request.md in `folder` and waits for the answer.

    The answer is the text of NAME.answer.txt or NAME.answer.md; one that is empty or still grows
    is waited for. One that cannot be used is moved to NAME.rejected, with the reason in
    NAME.problem.txt; the second such is invalid. NAME depends on the request alone, so that a run
    that starts again finds what was answered, and the same request is asked once.

    `width` is how many requests wait for an answer at once, those asked first before others. With
    1, none is answered in vain: what is asked next may depend on the answer. A program that
    answers may be given more. `poll` is in seconds; after `timeout` seconds without an answer the
    reply is unknown. What an answer costs is not known here, so that each counts as unpriced.
    Raises SetupError for a folder that cannot be written.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        poll: float = 1.0,
        timeout: float | None = None,
        width: int = 1,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        need_whole(width, "the width of a mailbox")
        need_number(poll, "the poll of a mailbox", above=True)
        if timeout is not None:
            need_number(timeout, "the timeout of a mailbox")
        self._folder = file_path(folder)
        self.name = f"mailbox:{self._folder.name}"
        self.width = width
        self._poll = poll
        self._timeout = timeout
        self._turns = Turns(width)
        self._sleep = sleep
        self._clock = clock

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        async with self._turns.here():
            return await self._complete(request)

    async def _complete(self, request: Request) -> Reply:
        name = content_hash(request)[:16]
        letter, rejected = (self._folder / f"{name}.{end}" for end in ("request.md", "rejected"))
        began = self._clock()
        self._write(letter, _letter(name, request))
        while True:
            answer = await self._answer(name, began)
            seconds = self._clock() - began
            if answer is None:
                error = f"no answer to {letter} within {seconds:g} s"
                return Reply("", status="unknown", error=error, seconds=seconds)
            count = 2 if os.path.lexists(rejected) else 1
            usage = Usage(count, unpriced=count)
            text, parsed, problem = _read(answer, request)
            if not problem:
                return Reply(text, parsed, usage, seconds)
            if count == 2:
                return Reply(text, None, usage, seconds, "invalid", f"{answer}: {problem}")
            self._reject(answer, rejected, problem)

    async def close(self) -> None:
        """Nothing to free; the files stay."""

    async def _answer(self, name: str, began: float) -> Path | None:
        """The answer's file, once it is the same at two looks; None when time is up."""
        seen: tuple[Path, int, int] | None = None
        while True:
            found = self._look(name)
            if found is not None and found == seen:
                return found[0]
            seen = found
            if self._timeout is not None and self._clock() - began >= self._timeout:
                return None
            await self._sleep(self._poll)

    def _look(self, name: str) -> tuple[Path, int, int] | None:
        """The answer's file with its size and time of change, if it is there and not empty."""
        for ending in _ANSWERS:
            path = self._folder / f"{name}.{ending}"
            try:
                found = path.lstat()
            except OSError:
                continue
            if found.st_size or not stat.S_ISREG(found.st_mode):
                return path, found.st_size, found.st_mtime_ns
        return None

    def _reject(self, answer: Path, rejected: Path, problem: str) -> None:
        text = (
            f"Your answer cannot be used: {problem}.\n"
            f"It was moved to {rejected.name}. Write a new one to {answer.name}.\n"
        )
        try:
            os.replace(answer, rejected)
        except OSError as error:
            raise SetupError(f"{answer}: cannot be moved: {error.strerror}.") from error
        self._write(rejected.with_name(rejected.name.replace("rejected", "problem.txt")), text)

    def _write(self, path: Path, text: str) -> None:
        """Put the file into place in one step, unless it is there."""
        scratch = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                return
            try:
                scratch.write_text(text, encoding="utf-8", errors="replace")
                os.replace(scratch, path)
            finally:
                scratch.unlink(missing_ok=True)
        except OSError as error:
            raise SetupError(f"{path}: cannot be written: {error.strerror}.") from error


def _read(path: Path, request: Request) -> tuple[str, Any, str]:
    """The answer's text, what it was parsed to, and what is wrong with it."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return "", None, "it is not a plain file"
        # A link put there meanwhile is not followed: an answer is what is in the folder.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(path, flags), "rb") as file:
            data = file.read(_LONGEST + 1)
        text = data.decode("utf-8").strip()
    except OSError as error:
        return "", None, f"it cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        return "", None, "it is not UTF-8 text"
    if len(data) > _LONGEST:
        return "", None, f"it is longer than {_LONGEST} bytes"
    if request.schema is None and request.choices is None:
        return text, None, ""
    try:
        return text, parse_structured(text, request.schema, request.choices), ""
    except ValueError as error:
        return text, None, str(error)


def _letter(name: str, request: Request) -> str:
    formed = request.schema is not None or request.choices is not None
    messages = (in_words(request) if formed else request).messages
    settings = {
        setting: getattr(request, setting)
        for setting in ("temperature", "top_p", "max_tokens", "stop", "seed")
        if getattr(request, setting) not in (None, ())
    }
    told = "".join(f"- {setting}: {value!r}\n" for setting, value in settings.items())
    turns = "".join(f"\n## {m.role}\n\n{m.content}\n" for m in messages)
    return f"Write the reply, and nothing else, to {name}.{_ANSWERS[0]}.\n\n{told}{turns}"
