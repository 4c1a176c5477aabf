"""What of an artifact may change, and within which limits: checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from optimand.artifacts.space import Setting
from optimand.artifacts.template import template_fields
from optimand.core.artifact import Artifact
from optimand.core.errors import InputError

__all__ = ["Surface"]

LONGEST = 20_000
"""Characters that a text may have where no limit is given: a runaway reply is no candidate."""


@dataclass(frozen=True)
class Surface:
    """The changeable parts of an artifact.

    texts: names of text parts. settings: typed settings by name (see `artifacts.space`); a dotted
    name such as "settings.temperature" reaches into a mapping. limits: characters allowed per
    text part. fields: placeholders that a template part must keep, by part. extra: the task's own
    check of a whole artifact, which returns complaints.
    """

    texts: tuple[str, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    extra: Callable[[Artifact], list[str]] | None = None

    def __post_init__(self) -> None:
        if not self.texts and not self.settings:
            raise InputError("nothing may change: name the text parts or settings to improve")

    def describe(self) -> dict[str, Any]:
        """As plain JSON, for a study's identity and for reports."""
        return {
            "texts": list(self.texts),
            "settings": {name: s.describe() for name, s in self.settings.items()},
            "limits": dict(self.limits),
            "fields": {name: sorted(fields) for name, fields in self.fields.items()},
        }

    def current(self, artifact: Artifact) -> dict[str, Any]:
        """The changeable parts and their values, texts first."""
        return {name: read(artifact.parts, name) for name in (*self.texts, *self.settings)}

    def change(
        self, artifact: Artifact, changes: Mapping[str, Any]
    ) -> tuple[Artifact | None, list[str]]:
        """The artifact with `changes` applied, or None and what is wrong with them."""
        wrong = [f"part {n!r} may not change" for n in changes if n not in self.names]
        clean: dict[str, Any] = {}
        for name, value in changes.items():
            if name in self.settings:
                value, complaint = self.settings[name].cast(value)
                wrong += [f"{name}: {complaint}"] if complaint else []
            clean[name] = value
        if wrong:
            return None, wrong
        parts = dict(artifact.parts)
        for name, value in clean.items():
            parts = _written(parts, name.split("."), value)
        changed = Artifact(parts, artifact.ref)
        complaints = self.check(changed)
        return (None, complaints) if complaints else (changed, [])

    @property
    def names(self) -> tuple[str, ...]:
        """All changeable parts."""
        return (*self.texts, *self.settings)

    def check(self, artifact: Artifact) -> list[str]:
        """What breaks the limits, as sentences that a proposer can act on; empty means fine."""
        found: list[str] = []
        for name in self.texts:
            text = read(artifact.parts, name)
            if not isinstance(text, str):
                found.append(f"part {name!r} must be text")
                continue
            most = self.limits.get(name, LONGEST)
            if len(text) > most:
                found.append(f"part {name!r} has {len(text)} characters; the limit is {most}")
            found += self._lost(name, text)
        return found or (self.extra(artifact) if self.extra else [])

    def _lost(self, name: str, text: str) -> Sequence[str]:
        needed = self.fields.get(name, frozenset())
        if not needed:
            return []
        try:
            have = set(template_fields(text))
        except InputError as error:
            return [f"part {name!r}: {error}"]
        lost = sorted(needed - have)
        return [f"part {name!r} must keep {', '.join('{' + f + '}' for f in lost)}"] if lost else []


def read(parts: Mapping[str, Any], name: str) -> Any:
    """The value at a dotted name; None where it is missing."""
    if name in parts:
        return parts[name]
    value: Any = parts
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _written(parts: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    whole = ".".join(path)
    if len(path) == 1 or whole in parts:
        return {**parts, whole: value}
    inner = parts.get(path[0], {})
    inner = inner if isinstance(inner, Mapping) else {}
    return {**parts, path[0]: _written(inner, path[1:], value)}
