"""The fast half of OptiCom as rules: the first that applies chooses the package."""

from __future__ import annotations

import random

from optimand.strategies.opticom.package import VERIFY, Package
from optimand.strategies.opticom.preferences import PATIENCE, Preferences
from optimand.strategies.opticom.state import UNRELIABLE, State, Tally

__all__ = ["by_rules"]

ROTATION = (("extrapolate", 3), ("perturb", 4), ("small-change", 3))
"""What is tried in turn when a search stands still, with its width."""


def by_rules(state: State, preferences: Preferences, rng: random.Random) -> Package:
    """Repair what fails; else verify drafts; when standing still try what the adapter prefers, or a
    rotation over other kinds of change; polish what is nearly perfect; otherwise the operator drawn
    by its weight and its luck so far.
    """
    if state.phase == "feasibility" or state.failing > UNRELIABLE:
        return Package("repair", width=3, depth="deep")
    if state.drafts >= 2:
        return Package(VERIFY, depth="deep")
    if state.cold:
        return Package("repair", width=3)
    if state.stalled >= PATIENCE and rng.random() < preferences.exploration:
        name, width = ROTATION[state.stalled % len(ROTATION)]
        if preferences.preferred and rng.random() < 0.5:
            name, width = preferences.preferred, 3
        return Package(name, "diverse", width=width)
    if state.phase == "polishing" and rng.random() < 0.5:
        return Package("small-change", width=2)
    return Package(_drawn(state, preferences, rng), width=2)


def _drawn(state: State, preferences: Preferences, rng: random.Random) -> str:
    """By Thompson sampling of the success rate times the weight; sometimes any."""
    usable = [n for n, one in preferences.operators.items() if one.parents <= state.pool]
    if rng.random() < 0.25 * preferences.exploration:
        return rng.choice(usable)

    def draw(name: str) -> float:
        tally = state.tallies.get(name, Tally())
        rate = rng.betavariate(1 + tally.successes, 1 + tally.tries - tally.successes)
        return rate * preferences.weights.get(name, 1.0)

    return max(usable, key=draw)
