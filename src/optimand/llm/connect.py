"""From a client's name in a study file to a client."""

from __future__ import annotations

import difflib

from optimand.core.errors import InputError
from optimand.core.model import Client

__all__ = ["connect"]

KINDS = ("embedded",)


def connect(spec: str) -> Client:
    """The client that `spec` names: "embedded" is SmolLM2-135M on this machine.

    Raises InputError for a name that is not known.
    """
    if spec == "embedded":
        from optimand.llm.embedded import Embedded

        return Embedded()
    close = difflib.get_close_matches(spec, KINDS, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"no client {spec!r}; there is {', '.join(KINDS)}.{hint}")
