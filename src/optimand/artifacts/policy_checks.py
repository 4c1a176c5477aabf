"""What is wrong with policies, found before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from optimand.artifacts.policy import Policy
from optimand.artifacts.template import input_fields, template_fields
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import decoding_faults

__all__ = ["Complaint", "Shapes", "check_policies", "field_shapes", "policy_complaints", "require"]

Shapes = Mapping[frozenset[str], tuple[str, ...]]
"""Ids of the examples by the set of fields that their inputs offer."""


@dataclass(frozen=True)
class Complaint:
    """One finding. An error must be mended before a run; a warning may be meant."""

    severity: Literal["error", "warning"]
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


def field_shapes(examples: Iterable[Example]) -> Shapes:
    """Groups examples by the fields of their inputs, so that checks cost one look per group."""
    shapes: dict[frozenset[str], list[str]] = {}
    for example in examples:
        shapes.setdefault(input_fields(example.input), []).append(example.id)
    return {fields: tuple(ids) for fields, ids in shapes.items()}


def policy_complaints(policy: Policy, shapes: Shapes) -> list[str]:
    """Errors of one policy: empty or broken prompt, missing fields, settings out of range."""
    found = decoding_faults(policy.temperature, policy.top_p, policy.max_tokens, policy.stop)
    if not policy.model.strip():
        found.append("the model is empty. Name a client.")
    if not policy.prompt.strip():
        found.append("the prompt is empty. Write at least '{input}' or a field of the examples.")
    for part in ("system", "prompt"):
        try:
            used = template_fields(getattr(policy, part))
        except InputError as error:
            found.append(f"{part}: {error}")
            continue
        found += [c for name in used if (c := _missing(part, name, shapes))]
    return found


def _missing(part: str, name: str, shapes: Shapes) -> str:
    lacking = [(fields, ids) for fields, ids in shapes.items() if name not in fields]
    if not lacking:
        return ""
    fields, ids = lacking[0]
    others = sum(len(i) for _, i in lacking) - 1
    more = f" (and {others} more)" if others else ""
    have = ", ".join(repr(f) for f in sorted(fields)) or "no fields"
    return f"{part} uses {{{name}}}, but example {ids[0]!r}{more} has only {have}."


def check_policies(
    candidates: Sequence[Candidate], examples: Iterable[Example] | Shapes
) -> list[Complaint]:
    """All complaints about a pool of policies: of each one, and of the pool as a whole.

    Warnings: an input field that no policy uses, a policy that uses no field at all.
    """
    shapes = examples if isinstance(examples, Mapping) else field_shapes(examples)
    found = [Complaint("error", message) for message in _pool_errors(candidates)]
    used: set[str] = set()
    for candidate in candidates:
        try:
            policy = Policy.from_artifact(candidate.artifact)
        except InputError as error:
            found.append(Complaint("error", f"policy {candidate.name!r}: {error}"))
            continue
        errors = policy_complaints(policy, shapes)
        found += [Complaint("error", f"policy {candidate.name!r}: {text}") for text in errors]
        fields = _used_fields(policy)
        used |= fields
        if not fields and not errors:
            found.append(Complaint("warning", _no_field(candidate.name)))
    offered = frozenset().union(*shapes) if shapes else frozenset()
    unused = sorted(offered - used) if used else []
    return found + [Complaint("warning", _unused(name)) for name in unused]


def _no_field(name: str) -> str:
    return f"policy {name!r} uses no field: it sends the same text for every example."


def _unused(name: str) -> str:
    return (
        f"no policy uses the input field {name!r}. Add {{{name}}} to a prompt, or drop the field."
    )


def _used_fields(policy: Policy) -> set[str]:
    try:
        return {*template_fields(policy.system), *template_fields(policy.prompt)}
    except InputError:
        return set()


def _pool_errors(candidates: Sequence[Candidate]) -> list[str]:
    found, names, contents = [], set[str](), dict[str, str]()
    for candidate in candidates:
        if not candidate.name.strip():
            found.append("a policy has an empty name. Give each policy a name.")
        if candidate.name in names:
            found.append(f"two policies are named {candidate.name!r}. Give each its own name.")
        names.add(candidate.name)
        twin = contents.setdefault(candidate.id, candidate.name)
        if twin != candidate.name:
            found.append(
                f"policies {twin!r} and {candidate.name!r} are the same in every part. Drop one: "
                "they could never be told apart."
            )
    return found


def require(complaints: Iterable[Complaint]) -> None:
    """Raises InputError with every error among the complaints, one a line."""
    errors = [c.message for c in complaints if c.severity == "error"]
    if errors:
        raise InputError("\n".join(errors))
