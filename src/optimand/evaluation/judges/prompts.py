"""The texts that judges send, filled from the files in `templates/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimand.core.keys import content_hash
from optimand.core.model import Message

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["fence", "messages", "template_hash"]

_FOLDER = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Values are inserted as text into a chat, never into HTML, and are not read as templates.
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def fence(*texts: str) -> str:
    """A mark that no given text contains, so that none of them can close its own fence.

    It depends on the texts alone: the same question gives the same prompt, and so the same key.
    """
    number = 0
    while True:
        mark = content_hash(texts, number)[:8]
        if not any(mark in text for text in texts):
            return mark
        number += 1


def messages(name: str, **values: Any) -> tuple[Message, Message]:
    """The system and user turns made from `NAME.system.md` and `NAME.user.md`."""
    environment = _environment()
    system = environment.get_template(f"{name}.system.md").render(values)
    user = environment.get_template(f"{name}.user.md").render(values)
    return Message("system", system.strip()), Message("user", user.strip())


@cache
def template_hash(name: str) -> str:
    """Changes when the wording of a template does."""
    return content_hash(
        *((_FOLDER / f"{name}.{part}.md").read_text("utf-8") for part in ("system", "user"))
    )
