"""Small environments of optimand's own, as ordinary ones of Gymnasium."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

__all__ = ["WORLDS", "about", "make_world"]

WORLDS = {
    "noise-world": "noise_world:NoiseWorld",
    "traffic-merge": "traffic_merge:TrafficMerge",
    "epidemic": "epidemic:Epidemic",
}
"""Module and class by name; they need the extra `control`."""


def make_world(name: str, **options: Any) -> Any:
    """The environment of this name, limited to its own number of steps."""
    module, _, kind = WORLDS[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), kind)(**options)


def about(name: str) -> str:
    """What a programmer is told of a world: observations, actions, reward; not its dynamics."""
    return (files(__name__) / "about" / f"{name}.md").read_text(encoding="utf-8").strip()
