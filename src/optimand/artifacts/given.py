"""From what a user hands over to a starting candidate and the surface on which it may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.artifacts.policy import Policy
from optimand.artifacts.space import setting_from
from optimand.artifacts.surface import Surface, read
from optimand.artifacts.template import template_fields
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.task import Task
from optimand.core.usercode import shown

__all__ = ["start_and_surface"]

_KEYS = ("texts", "settings", "limits", "fields")
_POLICY = ("system", "prompt")


def start_and_surface(given: Any, change: Any, task: Task) -> tuple[Candidate, Surface]:
    """The candidate to start from, and what of it may change.

    Raises InputError for an artifact or a change that cannot be used, with the task's complaints.
    """
    start = _start(given)
    complaints = task.check(start.artifact)
    if complaints:
        raise InputError(f"the artifact to improve: {'; '.join(complaints)}")
    surface = _surface(start.artifact, change, isinstance(given, Policy), task)
    wrong = surface.check(start.artifact)
    if wrong:
        raise InputError(f"the artifact to improve breaks its own limits: {'; '.join(wrong)}")
    return start, surface


def _start(given: Any) -> Candidate:
    if isinstance(given, Candidate):
        return given
    if isinstance(given, Policy):
        return given.candidate("start")
    if isinstance(given, Artifact):
        return Candidate(given, "start")
    if isinstance(given, str):
        return Candidate(Artifact({"value": given}), "start")
    if isinstance(given, Mapping) and given and all(isinstance(k, str) for k in given):
        return Candidate(Artifact(dict(given)), "start")
    raise InputError(
        f"the artifact to improve is {shown(given)}: give a text, a mapping of named parts, a "
        "Policy or an Artifact"
    )


def _surface(artifact: Artifact, change: Any, policy: bool, task: Task) -> Surface:
    spec = change if isinstance(change, Mapping) else {"texts": change}
    unknown = [key for key in spec if key not in _KEYS]
    if unknown:
        raise InputError(f"change has no {shown(unknown[0])}. It has: {', '.join(_KEYS)}.")
    settings = {n: setting_from(n, s) for n, s in _mapping(spec, "settings").items()}
    texts = _texts(artifact, spec.get("texts"), settings, policy)
    for name in settings:
        _, complaint = settings[name].cast(read(artifact.parts, name))
        if complaint:
            raise InputError(f"the artifact to improve: {name}: {complaint}")
    return Surface(
        texts,
        settings,
        _limits(_mapping(spec, "limits"), texts),
        {**_templates(artifact, texts, policy), **_fields(_mapping(spec, "fields"))},
        task.check,
    )


def _mapping(spec: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What a change says under this key, by the names of parts; {} for nothing."""
    given = spec.get(key)
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError(
            f"change: {key} are {shown(given)}. They must be a mapping from names of parts."
        )
    return given


def _texts(
    artifact: Artifact, given: Any, settings: Mapping[str, Any], policy: bool
) -> tuple[str, ...]:
    if given is None:
        names = [n for n, v in artifact.parts.items() if isinstance(v, str) and n not in settings]
        if policy:
            names = [n for n in _POLICY if n in names]
        return () if settings else tuple(names)
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"change is {shown(given)}. It must be a list of names of text parts, or a mapping "
            f"with any of {', '.join(_KEYS)}."
        )
    for name in names:
        if not isinstance(read(artifact.parts, name), str):
            have = ", ".join(map(repr, artifact.parts))
            raise InputError(
                f"change: {shown(name)} is no text part of the artifact. It has {have}."
            )
    return tuple(names)


def _limits(given: Mapping[str, Any], texts: tuple[str, ...]) -> dict[str, int]:
    for name, most in given.items():
        if name not in texts:
            raise InputError(f"limits: {shown(name)} is not among the texts that may change")
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise InputError(f"limits: {name} is {shown(most)}; it must be a number of characters")
    return dict(given)


def _templates(
    artifact: Artifact, texts: tuple[str, ...], policy: bool
) -> dict[str, frozenset[str]]:
    """The placeholders of a policy's templates, which must survive every edit."""
    if not policy:
        return {}
    return {n: frozenset(template_fields(str(read(artifact.parts, n)))) for n in texts}


def _fields(given: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    for name, fields in given.items():
        kind = isinstance(fields, list | tuple | set | frozenset)
        if not kind or not all(isinstance(field, str) for field in fields):
            raise InputError(
                f"change: the fields of {name!r} are {shown(fields)}. They must be a list of texts."
            )
    return {name: frozenset(fields) for name, fields in given.items()}
