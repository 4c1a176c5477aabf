"""Tasks of Meta-World whose object and goal follow the seed of the reset."""

from typing import Any

import gymnasium
import numpy as np

__all__ = ["make"]


def make(task: str, render_mode: str | None = None) -> Any:
    """The task of this name, such as "button-press-v3", with its goal in the observation."""
    import metaworld

    kind = metaworld.env_dict.ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE[f"{task}-goal-observable"]
    world = kind(render_mode=render_mode)
    world._freeze_rand_vec = False
    return _Seeded(world)


class _Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Its own generator is not made anew by a reset's seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.env.unwrapped.np_random = np.random.default_rng(seed)
        return self.env.reset(seed=seed, options=options)
