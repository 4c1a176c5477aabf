"""From a client's name in a study file to a client."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimand.core.errors import InputError
from optimand.core.given import need_text
from optimand.core.model import Client
from optimand.core.paths import file_path
from optimand.core.usercode import shown
from optimand.llm.secrets import MODEL, shown_spec

__all__ = ["connect", "stand_in"]

_NUMBER = (int, float)
_MOST = 1e12


@dataclass(frozen=True)
class _Kind:
    """A kind of client: what follows the colon, its options with their types, how it is made."""

    rest: str
    options: Mapping[str, tuple[type, ...]]
    make: Callable[..., Client]


def connect(spec: str, *, folder: str | os.PathLike[str] = ".", **options: Any) -> Client:
    """The client that `spec` names, with `options`; nothing is called yet.

    `spec` is "embedded", "openai:MODEL", "openai:MODEL@http://HOST/v1", "mailbox:FOLDER" or
    "replay:FILE". Paths are relative to `folder`. With the option `record`, a path, every call is
    also written to that file, for a replay. The other options are those of the client's class, and
    for "openai" those of Retries. Raises InputError for what is not known, and SetupError where a
    key is missing.
    """
    return _made(spec, folder, options)


def stand_in(spec: str, *, folder: str | os.PathLike[str] = ".", **options: Any) -> Client:
    """What `connect` gives, but no key is needed: for what looks at a study and asks nothing.

    The client has the name of the real one, which a study's identity depends on.
    """
    options.pop("record", None)
    return _made(spec, folder, options, needs_key=False)


def _made(
    spec: str, folder: str | os.PathLike[str], options: dict[str, Any], *, needs_key: bool = True
) -> Client:
    need_text(spec, "the spec of a client")
    name, colon, rest = spec.partition(":")
    kind = _KINDS.get(name)
    if kind is None:
        there = ", ".join(_KINDS)
        raise InputError(f"no client {shown_spec(spec)!r}; there is {there}.{_hint(name, _KINDS)}")
    if (not rest.strip()) if kind.rest else colon:
        form = f"{name}:{kind.rest}" if kind.rest else name
        raise InputError(f"client {shown(spec)} cannot be read. Write {form}.")
    _check(name, {**kind.options, "record": (str,)}, options)
    record = options.pop("record", None)
    place = str(file_path(Path(folder) / rest)) if kind.rest in ("FILE", "FOLDER") else rest
    if not needs_key and name == "openai":
        options["needs_key"] = False
    client = kind.make(place, **options) if kind.rest else kind.make()
    if record is None:
        return client
    from optimand.llm.replay import Recorder

    return Recorder(client, Path(folder) / record)


def _check(name: str, known: Mapping[str, tuple[type, ...]], options: Mapping[str, Any]) -> None:
    """Raises InputError for an option that is unknown, of the wrong type or out of range."""
    for option, value in options.items():
        if option not in known:
            there = ", ".join(known)
            hint = _hint(option, known)
            raise InputError(f"client {name!r}: no option {shown(option)}; there is {there}.{hint}")
        types = known[option]
        if not isinstance(value, types) or isinstance(value, bool):
            kind = _WORDS[types]
            raise InputError(f"client {name!r}: {option} must be {kind}, not {shown(value)}.")
        if isinstance(value, int | float) and not 0 < value <= _MOST:
            raise InputError(
                f"client {name!r}: {option} must be above 0 and at most {_MOST:g}, "
                f"not {shown(value)}."
            )


def _hint(name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _embedded() -> Client:
    from optimand.llm.embedded import Embedded

    return Embedded()


def _openai(rest: str, **options: Any) -> Client:
    from optimand.llm.openai import KeylessClient, OpenAIClient
    from optimand.llm.prices import Price
    from optimand.llm.retry import Retries

    model, url = rest, options.pop("base_url", None)
    if at := re.search(r"@(?=https?://)", rest):
        model, url = rest[: at.start()], rest[at.end() :]
        if not model:
            raise InputError("client 'openai' names no model. Write openai:MODEL@http://HOST/v1.")
    if not MODEL.fullmatch(model):
        raise InputError(
            "client 'openai': what follows the @ is no address that starts with http:// or "
            "https://. Write openai:MODEL@http://HOST/v1, or give the address as base_url."
        )
    price = options.pop("price", None)
    if price is not None:
        if set(price) != {"input", "output"}:
            raise InputError("client 'openai': price needs the fields 'input' and 'output'.")
        options["price"] = Price(**price)
    patience = {option: options.pop(option) for option in _PATIENCE if option in options}
    made = OpenAIClient if options.pop("needs_key", True) else KeylessClient
    return made(model, base_url=url, retries=Retries(**patience), **options)


def _mailbox(folder: str, **options: Any) -> Client:
    from optimand.llm.mailbox import Mailbox

    return Mailbox(folder, **options)


def _replay(file: str, **options: Any) -> Client:
    from optimand.llm.replay import Replay

    return Replay(file, **options)


_PATIENCE = {"attempts": (int,), "attempt_timeout": _NUMBER, "total_timeout": _NUMBER}
_WORDS = {(str,): "a text", (int,): "a whole number", _NUMBER: "a number", (dict,): "a mapping"}
_KINDS = {
    "embedded": _Kind("", {}, _embedded),
    "openai": _Kind(
        "MODEL",
        {
            "base_url": (str,),
            "key_env": (str,),
            "width": (int,),
            "per_minute": (int,),
            "price": (dict,),
            **_PATIENCE,
        },
        _openai,
    ),
    "mailbox": _Kind("FOLDER", {"width": (int,), "poll": _NUMBER, "timeout": _NUMBER}, _mailbox),
    "replay": _Kind("FILE", {"width": (int,)}, _replay),
}
