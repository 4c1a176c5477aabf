"""Policies as the product of a few lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from optimand.artifacts.policy import Policy
from optimand.core.errors import InputError

__all__ = ["grid"]

Texts = Mapping[str, str] | Sequence[str]


def grid(
    base: Policy,
    *,
    prompts: Texts = (),
    systems: Texts = (),
    models: Sequence[str] = (),
    temperatures: Sequence[float] = (),
) -> dict[str, Policy]:
    """Every combination of the given parts, each put in place of the base policy's.

    Names are made of the parts that vary: `{"short, t=0.7": Policy, ...}`. Texts given as a
    mapping bring their own names; texts in a list are called `prompt 1`, `system 2` and so on.
    Raises InputError if two combinations would share a name.
    """
    axes = [
        _named("prompt", prompts),
        _named("system", systems),
        [("model", model, model) for model in models],
        [("temperature", f"t={t:g}", t) for t in temperatures],
    ]
    policies: dict[str, Policy] = {}
    for combination in product(*(axis for axis in axes if axis)):
        varying = [label for part, label, _ in combination if _varies(axes, part)]
        name = ", ".join(varying) or "policy"
        if name in policies:
            raise InputError(f"the grid makes two policies named {name!r}. Repeat no value.")
        policies[name] = replace(base, **{part: value for part, _, value in combination})
    return policies


def _named(part: str, texts: Texts) -> list[tuple[str, str, Any]]:
    if isinstance(texts, str):
        raise InputError(f"grid: {part}s must be a list or a mapping of texts, not one text.")
    if isinstance(texts, Mapping):
        return [(part, str(name), text) for name, text in texts.items()]
    return [(part, f"{part} {number}", text) for number, text in enumerate(texts, 1)]


def _varies(axes: list[list[tuple[str, str, Any]]], part: str) -> bool:
    return any(len(axis) > 1 and axis[0][0] == part for axis in axes)
