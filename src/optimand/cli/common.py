"""What the commands share: exit codes, errors, and safe printing."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import typer

__all__ = [
    "BAD",
    "DECIDED",
    "EXIT_CODES",
    "INTERRUPTED",
    "NAMES",
    "UNDECIDED",
    "command",
    "leave",
    "or_exit",
    "print_json",
    "say",
    "tell",
]

NAMES = (OSError, UnicodeError)
"""What a name that no file or host can have raises: too long, or with half a character."""

DECIDED, BAD, UNDECIDED, INTERRUPTED = 0, 2, 3, 130

EXIT_CODES = (
    "Exit codes: 0 done, decided or proven; 2 bad input or set-up; 3 undecided or not proven; "
    "130 interrupted. "
    "The same command again goes on where a run was and repeats no paid call."
)

T = TypeVar("T")


def tell(text: str = "") -> None:
    """A line on standard output."""
    _write(text, sys.stdout)


def say(text: str, end: str = "\n") -> None:
    """A line on standard error, for what is not the result."""
    _write(text, sys.stderr, end)


def _write(text: str, stream: Any, end: str = "\n") -> None:
    """Write what a terminal may be shown: no escape sequence of a model reaches it."""
    from optimand.report.text import visible

    stream.write(visible(text) + end)
    stream.flush()


def command(verb: str, *names: str, **options: str) -> str:
    """A command for the user to copy: whatever a name holds, a shell runs this and nothing else."""
    given: list[str] = []
    for option, value in options.items():
        given += [f"--{option}={value}"] if value.startswith("-") else [f"--{option}", value]
    dashed = any(name.startswith("-") for name in names)
    return shlex.join(["optimand", verb, *((*given, "--", *names) if dashed else (*names, *given))])


def print_json(value: Any) -> None:
    """A value as JSON on standard output; ASCII only, so that it passes through anything."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def or_exit(work: Callable[[], T]) -> T:
    """The result of `work`; an error that the user can act on ends the program with code 2."""
    from optimand.core.errors import OptimandError

    try:
        return work()
    except (OptimandError, *NAMES) as error:
        leave(f"error: {error}", BAD)


def leave(text: str, code: int) -> NoReturn:
    """Say why, and end."""
    say(text)
    raise typer.Exit(code)
