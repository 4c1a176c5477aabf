"""Read proposals out of replies: forgiving about the form, strict about the content."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["parts_of", "tagged"]

_PART = re.compile(r'<part name="([^"\n]{1,200})">\n?(.*?)\n?</part>', re.DOTALL)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
LONGEST = 400_000


def parts_of(reply: str, names: Sequence[str]) -> dict[str, str] | None:
    """New values by part from `<part name="...">...</part>`; of a part written twice, the last.

    Where only one part may change, the last fenced block or `<new>...</new>` will do as well.
    None where nothing can be read. Empty texts count as nothing.
    """
    reply = reply[:LONGEST]
    found = {n: v for n, v in _PART.findall(reply) if v.strip()}
    if not found and len(names) == 1:
        blocks = [tagged(reply, "new") or "", *_FENCE.findall(reply)]
        last = next((b for b in reversed(blocks) if b.strip()), "")
        found = {names[0]: last} if last else {}
    return found or None


def tagged(reply: str, tag: str) -> str | None:
    """What stands between the last `<tag>` and the next `</tag>`; None where there is none."""
    start = reply.rfind(f"<{tag}>")
    end = reply.find(f"</{tag}>", start)
    if start < 0 or end < 0:
        return None
    return reply[start + len(tag) + 2 : end].strip()
