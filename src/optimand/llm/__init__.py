"""Clients of language models, and `connect`, which makes one from a short text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimand.core.lazy import lazy

# Not lazy: the module has the function's name, and would stand in its place once imported.
from optimand.llm.connect import connect

if TYPE_CHECKING:
    from optimand.llm.embedded import Embedded
    from optimand.llm.mailbox import Mailbox
    from optimand.llm.openai import OpenAIClient
    from optimand.llm.prices import Price
    from optimand.llm.replay import Recorder, Replay
    from optimand.llm.retry import Retries
    from optimand.llm.scripted import Scripted

__all__ = [
    "Embedded",
    "Mailbox",
    "OpenAIClient",
    "Price",
    "Recorder",
    "Replay",
    "Retries",
    "Scripted",
    "connect",
]


def __dir__() -> list[str]:
    return sorted(__all__)


__getattr__ = lazy(
    __name__,
    {
        "Embedded": "embedded",
        "Mailbox": "mailbox",
        "OpenAIClient": "openai",
        "Price": "prices",
        "Recorder": "replay",
        "Replay": "replay",
        "Retries": "retry",
        "Scripted": "scripted",
    },
)
