"""Random policies for a few environments, from useless to nearly perfect, as a model's drafts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from optimand.tasks.worlds import make_world

__all__ = ["FAMILIES", "Family", "Table", "tabulate"]

Act = Callable[[Any], Any]
EPISODES = 45
"""The first are those of a race, all of them are what a policy is worth."""


@dataclass(frozen=True)
class Family:
    """An environment, the returns that score 0 and 1, and how a policy is drawn."""

    name: str
    make: Callable[[], Any]
    scale: tuple[float, float]
    draw: Callable[[np.random.Generator], Act]


@dataclass(frozen=True)
class Table:
    """scores, steps: arrays of shape (policies, episodes); scores in [0, 1]."""

    scores: Any
    steps: Any


def _cart(rng: np.random.Generator) -> Act:
    weights = rng.normal([0.0, 0.1, 1.0, 0.5], [0.3, 0.4, 1.0, 0.6])
    return lambda seen: int(weights @ seen > 0)


def _hill(rng: np.random.Generator) -> Act:
    push, place, shift = rng.normal(1.0, 0.8), rng.normal(0.0, 0.03), rng.normal(0.0, 0.01)
    return lambda seen: 2 if push * seen[1] + place * (seen[0] + 0.5) + shift > 0 else 0


def _pendulum(rng: np.random.Generator) -> Act:
    near, speed, pump = rng.normal(10, 6), rng.normal(2, 1.5), rng.normal(1.0, 1.2)
    edge = rng.uniform(0.5, 0.95)

    def act(seen: Any) -> Any:
        upright = seen[0] > edge
        angle = np.arctan2(seen[1], seen[0])
        return [np.clip(-near * angle - speed * seen[2] if upright else pump * seen[2], -2, 2)]

    return act


def _town(rng: np.random.Generator) -> Act:
    beds, cases = rng.uniform(0, 60), rng.uniform(0, 80)
    calm, strict = int(rng.integers(0, 2)), int(rng.integers(1, 5))
    return lambda seen: strict if seen[4] > beds or seen[2] > cases else calm


FAMILIES = (
    Family("CartPole", lambda: gymnasium.make("CartPole-v1"), (0, 500), _cart),
    Family("MountainCar", lambda: gymnasium.make("MountainCar-v0"), (-200, -90), _hill),
    Family("Pendulum", lambda: gymnasium.make("Pendulum-v1"), (-1600, -100), _pendulum),
    Family("epidemic", lambda: gymnasium.wrappers.TimeLimit(make_world("epidemic"), 120),
           (-180, -30), _town),
)  # fmt: skip


def tabulate(family: Family, policies: int, episodes: int = EPISODES, seed: int = 0) -> Table:
    """What each of so many policies does in each episode; episode i is the same for all."""
    rng, world = np.random.default_rng(seed), family.make()
    scores, steps = np.zeros((policies, episodes)), np.zeros((policies, episodes), dtype=int)
    low, high = family.scale
    for row in range(policies):
        act = family.draw(rng)
        for episode in range(episodes):
            total, count = _run(world, act, 10_000 + episode)
            scores[row, episode] = np.clip((total - low) / (high - low), 0, 1)
            steps[row, episode] = count
    return Table(scores, steps)


def _run(world: Any, act: Act, seed: int) -> tuple[float, int]:
    seen, _ = world.reset(seed=seed)
    total, count, over = 0.0, 0, False
    while not over:
        seen, reward, ended, cut, _ = world.step(act(seen))
        total, count, over = total + float(reward), count + 1, bool(ended or cut)
    return total, count
