"""Read proposals out of replies: forgiving about the form, strict about the content.

Plain searches only, each of which goes through the reply once, whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["parts_of"]

OPEN, NAMED, CLOSE = '<part name="', '">', "</part>"
FENCE = "```"


def parts_of(reply: str, names: Sequence[str]) -> dict[str, str] | None:
    """New values by part from `<part name="...">...</part>`; of a part written twice, the last.

    Where only one part may change, the last fenced block will do as well. None where nothing can
    be read. Empty texts count as nothing.
    """
    found = {name: text for name, text in _tagged(reply) if text.strip()}
    if not found and len(names) == 1:
        last = next((text for text in reversed(_fenced(reply)) if text.strip()), "")
        found = {names[0]: last} if last else {}
    return found or None


def _tagged(reply: str) -> Iterator[tuple[str, str]]:
    start = reply.find(OPEN)
    while start >= 0:
        begin = start + len(OPEN)
        named = reply.find(NAMED, begin)
        after = reply.find(OPEN, begin)
        # The last end before the next beginning: the text may speak of such a tag itself.
        end = reply.rfind(CLOSE, named, after if after >= 0 else len(reply)) if named >= 0 else -1
        if end < 0:
            return
        text = reply[named + len(NAMED) : end]
        yield reply[begin:named], text.removeprefix("\n").removesuffix("\n")
        start = reply.find(OPEN, end)


def _fenced(reply: str) -> list[str]:
    """What stands between fences, without the line that opens them."""
    pieces = reply.split(FENCE)
    closed = pieces[1 : len(pieces) - 1 : 2]
    return [text.partition("\n")[2].removesuffix("\n") for text in closed]
