"""Hyper-parameters of reinforcement learning, environment by environment.

Those marked "zoo" are the tuned ones of rl-baselines3-zoo; where it has no entry, the defaults of
Stable-Baselines3 are taken ("default"), with normalised observations for large numbers ("ours").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ZOO", "Setting"]


@dataclass(frozen=True)
class Setting:
    """An algorithm in an environment.

    level: the mean return at which it counts as solved. steps: the most that it is trained.
    options: of the algorithm. net: hidden layers, where not the default.
    """

    env: str
    algorithm: str
    source: str
    level: float
    steps: int
    envs: int = 1
    normalise: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    world: dict[str, Any] = field(default_factory=dict)


ZOO: dict[str, Setting] = {
    "cartpole": Setting(
        "CartPole-v1", "ppo", "zoo", 490, 100_000, envs=8,
        options={"n_steps": 32, "batch_size": 256, "gae_lambda": 0.8, "gamma": 0.98,
                 "n_epochs": 20, "ent_coef": 0.0, "learning_rate": 1e-3, "clip_range": 0.2},
    ),
    "mountain-car": Setting(
        "MountainCar-v0", "ppo", "zoo", -110, 1_000_000, envs=16, normalise=True,
        options={"n_steps": 16, "gae_lambda": 0.98, "gamma": 0.99, "n_epochs": 4,
                 "ent_coef": 0.0},
    ),
    "acrobot": Setting(
        "Acrobot-v1", "ppo", "zoo", -90, 1_000_000, envs=16, normalise=True,
        options={"n_steps": 256, "gae_lambda": 0.94, "gamma": 0.99, "n_epochs": 4,
                 "ent_coef": 0.0},
    ),
    "pendulum": Setting(
        "Pendulum-v1", "ppo", "zoo", -200, 100_000, envs=4,
        options={"n_steps": 1024, "gae_lambda": 0.95, "gamma": 0.9, "n_epochs": 10,
                 "ent_coef": 0.0, "learning_rate": 1e-3, "clip_range": 0.2, "use_sde": True,
                 "sde_sample_freq": 4},
    ),
    "pendulum-sac": Setting(
        "Pendulum-v1", "sac", "zoo", -200, 20_000, options={"learning_rate": 1e-3}
    ),
    "minigrid-doorkey": Setting(
        "MiniGrid-DoorKey-6x6-v0", "ppo", "zoo", 0.9, 500_000, envs=8, normalise=True,
        options={"n_steps": 128, "batch_size": 64, "gae_lambda": 0.95, "gamma": 0.99,
                 "n_epochs": 10, "ent_coef": 0.0, "learning_rate": 2.5e-4, "clip_range": 0.2},
    ),
    "noise-world": Setting(
        "noise-world", "ppo", "default", 900, 300_000, envs=8, world={"board": 2}
    ),
    "epidemic": Setting("epidemic", "ppo", "ours", -55, 300_000, envs=8, normalise=True),
    "traffic-merge": Setting("traffic-merge", "ppo", "ours", 180, 300_000, envs=8, normalise=True),
    "swimmer": Setting(
        "Swimmer-v5", "ppo", "zoo", 300, 1_000_000, envs=4,
        options={"n_steps": 1024, "batch_size": 256, "gamma": 0.9999, "gae_lambda": 0.98,
                 "n_epochs": 10, "ent_coef": 0.0, "learning_rate": 6e-4},
    ),
    "half-cheetah": Setting(
        "HalfCheetah-v5", "sac", "zoo", 9000, 1_000_000, options={"learning_starts": 10_000}
    ),
    "reacher": Setting("Reacher-v5", "ppo", "ours", -5, 300_000, envs=8, normalise=True),
}  # fmt: skip
