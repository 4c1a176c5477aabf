"""The slow half of OptiCom: preferences behind the choices, rewritten when a search is stuck."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimand.core.model import object_schema
from optimand.operators.named import OPERATORS, Named, invented
from optimand.strategies.opticom.state import State

__all__ = ["INVENTION", "Preferences", "adapt", "invention_from", "stuck"]

PATIENCE, SPACING = 3, 3
"""Steps without a gain after which preferences are rewritten, and the least between two times."""
MOST_INVENTED = 3
PRIOR = {"repair": 2.0, "revise": 1.5, "small-change": 1.0}
"""Weights to begin with: what looks at failures first is the better guess."""
LEAST_WEIGHT = 0.05
INVENTION = object_schema({n: {"type": "string"} for n in ("name", "about", "instruction")})
_NAME = re.compile(r"[a-z][a-z-]{2,23}")
_META = ("{", "}", "<part", "json", "operator", "weight", "```")


@dataclass
class Preferences:
    """Weights of operators, how much to explore, and what to try when stuck."""

    weights: dict[str, float] = field(
        default_factory=lambda: {n: PRIOR.get(n, 0.7) for n in OPERATORS}
    )
    exploration: float = 0.2
    preferred: str = ""
    operators: dict[str, Named] = field(default_factory=lambda: dict(OPERATORS))


def stuck(state: State, since: int) -> bool:
    """Whether preferences should be rewritten, `since` steps after the last time."""
    return since >= SPACING and (state.stalled >= PATIENCE or state.recurring)


def adapt(preferences: Preferences, state: State) -> None:
    """Rewrite the preferences by what the tallies say; never the objective or the accounting.

    Tried three times in vain: a tenth of the weight. Gains in more than half of two tries or more:
    half as much again. The longer stuck, the more exploring; unlike in the source not the wider,
    which cost more than it found. Preferred next is what gained most, or, where nothing did, what
    was tried least.
    """
    for name, tally in state.tallies.items():
        if tally.tries >= 3 and not tally.successes:
            preferences.weights[name] = max(LEAST_WEIGHT, 0.1 * preferences.weights[name])
        elif tally.tries >= 2 and tally.successes > 0.5 * tally.tries:
            preferences.weights[name] = min(10.0, 1.5 * preferences.weights[name])
    long = state.stalled >= PATIENCE
    preferences.exploration = 0.8 if long else 0.5
    gained = {n: t.mean for n, t in state.tallies.items() if t.gain > 0}
    tries = {n: state.tallies[n].tries if n in state.tallies else 0 for n in preferences.operators}
    preferences.preferred = max(gained, key=gained.__getitem__) if gained else ""
    if not gained or state.stalled > 2 * PATIENCE:
        preferences.preferred = min(tries, key=tries.__getitem__)


def invention_from(data: Any, known: Mapping[str, Named]) -> Named | str:
    """An operator that a model invented, within limits; else why not."""
    if not isinstance(data, Mapping) or not all(isinstance(v, str) for v in data.values()):
        return "the invention could not be read"
    name, about, instruction = (str(data.get(n, "")) for n in ("name", "about", "instruction"))
    if len([one for one in known.values() if one.instruction]) >= MOST_INVENTED:
        return "there are enough inventions"
    if not _NAME.fullmatch(name) or name in known:
        return "the invention's name is taken or not a short word"
    if not 20 <= len(instruction) <= 600 or len(about) > 200:
        return "the invention's instruction must have 20 to 600 characters"
    if any(word in instruction.lower() for word in _META):
        return "the invention speaks of the search and not of the text"
    return invented(name, about, instruction)
