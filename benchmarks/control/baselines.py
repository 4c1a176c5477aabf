"""Reinforcement learning on the same environments: `python -m benchmarks.control.baselines NAME`.

Needs an environment of its own with torch, stable-baselines3 and the extra `control` or `physics`.
Prints one line of JSON: settings, versions, and the learning curve, the mean return of 20 episodes
(which do not count as training) after so many environment steps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.control.zoo import ZOO, Setting

__all__ = ["main", "steps_to"]

EPISODES = 20
LOOKS = 40
"""Evaluations over the whole training."""


def steps_to(curve: Sequence[Sequence[float]], level: float) -> int | None:
    """Steps at the first evaluation that reaches `level`, if the next does too or none follows."""
    for place, (steps, mean) in enumerate(curve):
        after = curve[place + 1][1] if place + 1 < len(curve) else mean
        if mean >= level and after >= level:
            return int(steps)
    return None


def _world(setting: Setting) -> Any:
    import gymnasium

    from optimand.tasks.worlds import WORLDS, make_world

    if setting.env in WORLDS:
        made = make_world(setting.env, **setting.world)
        world: Any = gymnasium.wrappers.TimeLimit(made, made.max_steps)
    else:
        if setting.env.startswith("MiniGrid"):
            import minigrid  # noqa: F401
        world = gymnasium.make(setting.env, **setting.world)
    if isinstance(world.observation_space, gymnasium.spaces.Dict):
        spaces = world.observation_space.spaces
        plain = gymnasium.spaces.Box | gymnasium.spaces.Discrete
        kept = [name for name, space in spaces.items() if isinstance(space, plain)]
        world = gymnasium.wrappers.FilterObservation(world, kept)
        world = gymnasium.wrappers.FlattenObservation(world)
    return world


def trained(setting: Setting, seed: int, steps: int, until: float | None) -> list[list[float]]:
    """The learning curve of one run."""
    import torch
    from stable_baselines3 import PPO, SAC
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize

    torch.set_num_threads(1)
    world: Any = make_vec_env(lambda: _world(setting), n_envs=setting.envs, seed=seed)
    check: Any = make_vec_env(lambda: _world(setting), n_envs=1, seed=seed + 10_000)
    if setting.normalise:
        world = VecNormalize(world, gamma=setting.options.get("gamma", 0.99))
        check = VecNormalize(check, training=False, norm_reward=False)
    kind = {"ppo": PPO, "sac": SAC}[setting.algorithm]
    model = kind("MlpPolicy", world, seed=seed, device="cpu", **setting.options)
    curve: list[list[float]] = []
    while model.num_timesteps < steps:
        model.learn(max(1, steps // LOOKS), reset_num_timesteps=False)
        if setting.normalise:
            check.obs_rms = world.obs_rms
        curve.append([model.num_timesteps, _mean(model, check)])
        if until is not None and steps_to(curve[:-1], until) is not None:
            break
    return curve


def _mean(model: Any, check: Any) -> float:
    from stable_baselines3.common.evaluation import evaluate_policy

    mean, _ = evaluate_policy(model, check, n_eval_episodes=EPISODES, warn=False)
    return round(float(mean), 4)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("name", choices=ZOO)
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--steps", type=int, help="fewer or more than the table says")
    reader.add_argument("--to-the-end", action="store_true", help="do not stop when solved")
    given = reader.parse_args()
    setting = ZOO[given.name]
    import gymnasium
    import stable_baselines3
    import torch

    began = time.monotonic()
    until = None if given.to_the_end else setting.level
    curve = trained(setting, given.seed, given.steps or setting.steps, until)
    found = {
        "name": given.name,
        "seed": given.seed,
        **asdict(setting),
        "curve": curve,
        "steps_to_level": steps_to(curve, setting.level),
        "seconds": round(time.monotonic() - began),
        "versions": {m.__name__: m.__version__ for m in (gymnasium, stable_baselines3, torch)},
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
