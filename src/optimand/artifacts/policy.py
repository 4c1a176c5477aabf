"""A policy: everything that turns an example into one call of a language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimand.artifacts.template import fill
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.given import is_finite, need_text, plain_number
from optimand.core.model import Message, Request
from optimand.core.usercode import shown

__all__ = ["Policy"]

_SETTINGS = ("temperature", "top_p", "max_tokens", "stop")
_PARTS = ("model", "system", "prompt", "turns", "settings", "parser")


@dataclass(frozen=True)
class Policy:
    """A model with its prompt, few-shot turns, decoding settings and output parser.

    `model` names a client of the task. `prompt` (the user's turn) and `system` are templates with
    `{field}` for a field of the example's input, `{input}` where the input is a plain value, and
    `{{`, `}}` for literal braces. `turns` are (user, assistant) pairs, sent as they are. A setting
    left at None is the service's default. `parser` is a parser's name or a mapping with `type`
    and its options (see `optimand.evaluation.parsers`).
    """

    model: str
    prompt: str = "{input}"
    system: str = ""
    turns: tuple[tuple[str, str], ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    parser: Mapping[str, Any] | str = field(default="text")

    def __post_init__(self) -> None:
        self._check_types()
        # Equal settings must be equal artifacts: 1 and 1.0, "text" and {"type": "text"}.
        for name in ("temperature", "top_p", "max_tokens"):
            value = plain_number(getattr(self, name))
            if name != "max_tokens" and isinstance(value, int) and is_finite(value):
                value = float(value)
            object.__setattr__(self, name, value)
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)
        object.__setattr__(self, "stop", stop)
        object.__setattr__(self, "turns", _turns(self.turns))
        parser = {"type": self.parser} if isinstance(self.parser, str) else dict(self.parser)
        object.__setattr__(self, "parser", parser)

    def _check_types(self) -> None:
        if not isinstance(self.model, str):
            raise InputError(
                f"a policy's model is {shown(self.model)}. It must be the name that the task gives "
                "to a client: TextTask(..., clients={'small': client})."
            )
        for name in ("prompt", "system"):
            need_text(getattr(self, name), f"a policy's {name}")
        checks: tuple[tuple[str, tuple[type, ...], str], ...] = (
            ("turns", (list, tuple), "a list of (user, assistant) pairs"),
            ("stop", (list, tuple, str), "a text or a list of texts"),
            ("parser", (str, Mapping), "a parser's name, or a mapping with 'type'"),
        )
        for name, kinds, words in checks:
            value = getattr(self, name)
            if not isinstance(value, kinds):
                raise InputError(f"a policy's {name} is {shown(value)}. It must be {words}.")

    def artifact(self) -> Artifact:
        """The policy as plain JSON parts: model, system, prompt, turns, settings, parser."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        settings["stop"] = list(self.stop) or None
        return Artifact(
            {
                "model": self.model,
                "system": self.system,
                "prompt": self.prompt,
                "turns": [list(turn) for turn in self.turns],
                "settings": {k: v for k, v in settings.items() if v is not None},
                "parser": self.parser,
            }
        )

    def candidate(self, name: str) -> Candidate:
        """The policy under a name that people read."""
        return Candidate(self.artifact(), name)

    @classmethod
    def from_artifact(cls, artifact: Artifact) -> Policy:
        """The policy that an artifact's parts describe.

        Raises InputError for a missing or unknown part, and for a part of the wrong form.
        """
        parts = artifact.parts
        settings = parts.get("settings", {})
        _require_parts(parts, settings)
        plain = {name: parts[name] for name in _PARTS if name in parts and name != "settings"}
        return cls(**plain, **settings)

    def messages(self, value: Any) -> tuple[Message, ...]:
        """The chat for one example's input. Raises InputError for a field the input lacks."""
        system = fill(self.system, value)
        chat = [Message("system", system)] if system.strip() else []
        for user, assistant in self.turns:
            chat += [Message("user", user), Message("assistant", assistant)]
        return (*chat, Message("user", fill(self.prompt, value)))

    def request(self, value: Any, seed: int | None = None) -> Request:
        """The call for one example's input."""
        return Request(
            self.messages(value), self.temperature, self.top_p, self.max_tokens, self.stop, seed
        )


def _turns(turns: Any) -> tuple[tuple[str, str], ...]:
    pairs = []
    for number, turn in enumerate(turns, 1):
        pair = tuple(turn) if isinstance(turn, list | tuple) else ()
        if len(pair) != 2 or not all(isinstance(t, str) for t in pair):
            raise InputError(f"turn {number} of a policy must be two texts: user, assistant.")
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _require_parts(parts: Mapping[str, Any], settings: Any) -> None:
    for name in ("model", "prompt"):
        if name not in parts:
            raise InputError(f"the artifact has no part {name!r}. A policy needs one.")
    for name in ("model", "prompt", "system"):
        if not isinstance(parts.get(name, ""), str):
            raise InputError(f"part {name!r} of a policy must be text.")
    if not isinstance(parts.get("turns", []), list | tuple):
        raise InputError("part 'turns' of a policy must be a list of (user, assistant) pairs.")
    if not isinstance(settings, Mapping) or not isinstance(parts.get("parser", ""), str | Mapping):
        raise InputError("parts 'settings' and 'parser' of a policy must be mappings.")
    unknown = [n for n in parts if n not in _PARTS] + [n for n in settings if n not in _SETTINGS]
    if unknown:
        raise InputError(
            f"unknown part {shown(unknown[0])} of a policy. Known: {', '.join(_PARTS)}; "
            f"in settings: {', '.join(_SETTINGS)}."
        )
