"""`optimand answer`: judge what a running study asks people."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimand.cli.common import or_exit, print_json, say, tell
from optimand.cli.reading import JSON, STORE
from optimand.cli.studies import DEFAULT_STORE, opened, place_of

if TYPE_CHECKING:
    from optimand.core.store import OpenDesk

__all__ = ["answer"]

LOOK_SECONDS = 0.5

Waiting = list[tuple[str, dict[str, Any]]]


def answer(
    study: Annotated[
        str,
        typer.Argument(
            help="a study's name, its beginning, or its file; by default the one asking"
        ),
    ] = "",
    store: Annotated[str | None, STORE] = None,
    give: Annotated[
        str | None,
        typer.Option(help="answer without asking: 1, 2 or t for a pair, a number for a grade"),
    ] = None,
    comment: Annotated[str, typer.Option(help="why, with --give")] = "",
    key: Annotated[str, typer.Option(help="which question, with --give; else the oldest")] = "",
    wait: Annotated[
        float, typer.Option(min=0, help="seconds to wait for a question before ending")
    ] = 30.0,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Answer what a study with a human judge asks, one question after the other.

    Names are hidden and the order is drawn. The run that asks must be going on in another terminal
    to take the answers; one that is started later finds them too. With --json it prints the
    questions that wait, and answers none.
    """
    or_exit(lambda: _answer(study, store, give, comment, key, wait, as_json))


def _answer(
    study: str,
    where: str | None,
    give: str | None,
    comment: str,
    key: str,
    wait: float,
    as_json: bool,
) -> None:
    with _desk(study, where, write=not as_json) as desk:
        if as_json:
            print_json([{"key": key, **question} for key, question in desk.questions()])
        elif give is not None:
            _give(desk, give, comment, key)
        else:
            count = _converse(desk, wait)
            say(f"{count} answered")


@contextmanager
def _desk(study: str, where: str | None, *, write: bool) -> Iterator[OpenDesk]:
    """The desk of the study meant; it must exist, so that nothing is made by looking."""
    from optimand.storage.connect import connect

    name, place = (study, where) if study else _asking(where or DEFAULT_STORE)
    with opened(name, place) as (reader, info):
        if not write:
            with closing(reader.desk(info.name)) as desk:
                yield desk
            return
    with closing(connect(place_of(name, place))) as store, closing(store.desk(info.name)) as desk:
        yield desk


def _asking(where: str) -> tuple[str, str]:
    """The study with questions that wait; the latest where several or none have."""
    from optimand.core.errors import InputError
    from optimand.storage.connect import connect

    with closing(connect(where, read_only=True)) as store:
        names = [info.name for info in store.studies()]
        if not names:
            raise InputError(f"{where} holds no studies")
        for name in reversed(names):
            with closing(store.desk(name)) as desk:
                if desk.questions():
                    return name, where
    return names[-1], where


def _give(desk: OpenDesk, typed: str, comment: str, key: str) -> None:
    from optimand.cli.asking import answer_from
    from optimand.core.errors import InputError

    waiting = desk.questions()
    found = [(k, q) for k, q in waiting if k.startswith(key)]
    if not found:
        which = f"with the key {key!r} " if key else ""
        raise InputError(f"no question {which}waits; {len(waiting)} wait in all")
    chosen, question = found[0]
    desk.give(chosen, answer_from(question, typed, comment))
    tell(f"answered {chosen}; {len(waiting) - 1} more wait")


def _converse(desk: OpenDesk, wait: float) -> int:
    """Ask until nothing waits any more, or the person ends it; the number of answers."""
    from optimand.cli.asking import hint_of, shown_question

    skipped: set[str] = set()
    hint = ""
    count = 0
    while True:
        waiting = _next(desk, skipped, wait)
        if not waiting:
            say("no question waits")
            return count
        key, question = waiting[0]
        tell(f"\n{shown_question(question)}\n")
        if hint != hint_of(question):  # once, as long as the questions are of one kind
            hint = hint_of(question)
            say(hint)
        given = _typed(question)
        if given == "quit":
            return count
        if given == "skip":
            skipped.add(key)
            continue
        desk.give(key, given)  # type: ignore[arg-type]
        count += 1


def _next(desk: OpenDesk, skipped: set[str], wait: float) -> Waiting:
    """The questions that wait; looks for new ones for up to `wait` seconds."""
    end = time.monotonic() + wait
    told = False
    while True:
        waiting = [(key, question) for key, question in desk.questions() if key not in skipped]
        if waiting or time.monotonic() >= end:
            return waiting
        if not told:
            say("waiting for a question; Ctrl-C ends")
            told = True
        time.sleep(LOOK_SECONDS)


def _typed(question: dict[str, Any]) -> dict[str, Any] | str:
    """An answer, "skip" or "quit"; asks again after what is none."""
    from optimand.cli.asking import answer_from, prompt_of
    from optimand.core.errors import InputError

    while True:
        say(prompt_of(question), end="")
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("q", "quit"):
            return "quit"
        if word in ("s", "skip"):
            return "skip"
        try:
            return answer_from(question, line)
        except InputError as error:
            say(str(error))
