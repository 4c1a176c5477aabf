"""What is optimized: an artifact, and the candidate that carries it through a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optimand.core.keys import content_hash

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

    @property
    def id(self) -> str:
        """The artifact's content hash."""
        return self.artifact.id
