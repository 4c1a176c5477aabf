"""Text that a model wrote, made safe to look at: nothing invisible, nothing endless."""

from __future__ import annotations

import re
from typing import Any

from optimand.evaluation.extract import as_text

__all__ = ["clip", "one_line", "shown", "visible"]

LIMIT = 3000
"""Characters of one text that a reader is shown."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # halves of pairs, tags, variation selectors
)


def visible(text: str) -> str:
    """The text with what a reader could not see (control, bidirectional, ...) written out.

    A control character becomes its picture (escape: U+241B), any other ⟨U+202E⟩. Joiners, which
    scripts and emoji need, stay.
    """
    return _HIDDEN.sub(_written_out, text.replace("\r\n", "\n"))


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return f"⟨U+{code:04X}⟩"


def clip(text: str, limit: int = LIMIT) -> tuple[str, int]:
    """The first `limit` characters, and how many were left out."""
    return text[:limit], max(0, len(text) - limit)


def shown(value: Any, limit: int = LIMIT) -> tuple[str, int]:
    """Any value as visible text of at most `limit` of its characters, and how many more it has."""
    text, rest = clip(as_text(value), limit)
    return visible(text), rest


def one_line(value: Any, limit: int = 80) -> str:
    """Any value as one short visible line; an ellipsis says that there is more."""
    text = " ".join(as_text(value).split())
    return visible(text if len(text) <= limit else text[: limit - 1] + "…")
