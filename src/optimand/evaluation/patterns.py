"""A user's regular expressions on a model's text: searched with a time limit.

A pattern such as `(a|aa)+$` can take longer than anyone waits, and Python's own module cannot be
stopped. The library regex, which knows the same patterns and more, can.
"""

from __future__ import annotations

from typing import Any

__all__ = ["SECONDS", "broken", "find"]

SECONDS = 2.0
"""How long one search may take; then TimeoutError is raised."""


def broken(pattern: Any) -> str:
    """Why something is no pattern, or the empty text."""
    import regex

    try:
        regex.compile(pattern)
    except RecursionError:
        return "it is nested too deep"
    except (regex.error, OverflowError, TypeError) as error:
        return str(error)
    return ""


def find(pattern: str, text: str, *, full: bool = False, group: int | str = 0) -> str | None:
    """The group of the first match of a good pattern (with `full`: of all the text), or None.

    Raises TimeoutError where that takes longer than `SECONDS`.
    """
    import regex

    compiled = regex.compile(pattern)
    search = compiled.fullmatch if full else compiled.search
    try:
        match = search(text, timeout=SECONDS)
    except TimeoutError:
        late = f"the pattern {pattern!r} took longer than {SECONDS:g} s on it"
        raise TimeoutError(late) from None
    found: str | None = match[group] if match else None
    return found
