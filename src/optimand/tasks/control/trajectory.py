"""An episode in a few words, where the artifact has no program that tells it."""

from __future__ import annotations

from typing import Any

import numpy as np

from optimand.tasks.control.episode import Episode

__all__ = ["in_words"]

ENTRIES = 8
"""Entries of an observation that are told."""


def in_words(episode: Episode) -> str:
    """Steps, how it ended, and the first and last observation where they are short vectors."""
    said = [f"{episode.steps} steps", episode.ended or "cut short"]
    if episode.success is not None:
        said.append("success" if episode.success >= 1 else f"success {episode.success:g}")
    for name, value in (("first", episode.first), ("last", episode.last)):
        numbers = _vector(value)
        if numbers is not None:
            said.append(f"{name} observation [{', '.join(f'{n:.3g}' for n in numbers)}]")
    return "; ".join(said)


def _vector(value: Any) -> list[float] | None:
    if isinstance(value, dict | str | tuple | list) or value is None:
        return None
    try:
        numbers = np.ravel(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        return None
    return [float(n) for n in numbers] if 0 < numbers.size <= ENTRIES else None
