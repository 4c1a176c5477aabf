"""What is optimized: an artifact, and the candidate that carries it through a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optimand.core.errors import InputError
from optimand.core.given import need_text
from optimand.core.keys import content_hash
from optimand.core.usercode import shown

__all__ = ["Artifact", "Candidate"]


@dataclass(frozen=True)
class Artifact:
    """Named parts (texts, numbers, nested mappings) that a task knows how to run.

    Two artifacts with equal parts are the same artifact: `id` is a hash of the parts.
    `ref` points at a live object (a function, a model) that cannot be stored; its identity must
    be named by a part, since `id` does not see it.
    """

    parts: Mapping[str, Any]
    ref: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.parts, Mapping):
            raise InputError(
                f"an artifact's parts are {shown(self.parts)}. They must be a mapping, such as "
                "{'value': ...}."
            )

    @cached_property
    def id(self) -> str:
        """32 hexadecimal digits, the same in every process."""
        return content_hash(self.parts)

    def replace(self, **parts: Any) -> Artifact:
        """A copy with some parts changed or added."""
        return Artifact({**self.parts, **parts}, self.ref)


@dataclass(frozen=True)
class Candidate:
    """An artifact under a name that people read, with where it came from."""

    artifact: Artifact
    name: str
    parents: tuple[str, ...] = ()
    operator: str = "given"

    def __post_init__(self) -> None:
        if not isinstance(self.artifact, Artifact):
            raise InputError(
                f"a candidate's artifact is {shown(self.artifact)}. "
                "It must be an Artifact: Candidate(Artifact({'value': ...}), name)."
            )
        need_text(self.name, "a candidate's name")

    @property
    def id(self) -> str:
        """The artifact's content hash."""
        return self.artifact.id
