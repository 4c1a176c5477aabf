"""Clients of language models, and `connect`, which makes one from a short text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "Embedded": "embedded",
    "Mailbox": "mailbox",
    "OpenAIClient": "openai",
    "Price": "prices",
    "Recorder": "replay",
    "Replay": "replay",
    "Retries": "retry",
    "Scripted": "scripted",
}


def __getattr__(name: str) -> Any:
    """Load a client where it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'optimand.llm' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"optimand.llm.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
