"""One episode: the environment outside, the policy in the sandbox, an observation and an action."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from optimand.core.errors import OptimandError
from optimand.core.record import Status
from optimand.core.usercode import CRASHES, said
from optimand.evaluation.sandbox import Fault, Session
from optimand.tasks.control.spaces import NoAction, action_of

__all__ = ["Episode", "run_episode"]

_STATUS: dict[str, Status] = {
    "crash": "crash",
    "memory": "crash",
    "timeout": "timeout",
    "violation": "invalid",
    "service": "unknown",
}
_SUCCESS = ("success", "is_success")


@dataclass
class Episode:
    """What happened. `success` is None where the environment does not speak of it.

    `total`: the sum of the rewards, the return. `status` and `fault`: as in a Record. `ended`:
    "terminated", "truncated", or "" where the policy failed. `observations` are kept if asked for.
    """

    total: float = 0.0
    steps: int = 0
    success: float | None = None
    status: Status = "ok"
    fault: str = ""
    ended: str = ""
    first: Any = None
    last: Any = None
    observations: list[Any] = field(default_factory=list)
    frames: list[Any] = field(default_factory=list)


def run_episode(
    env: Any,
    session: Session,
    source: str,
    seed: int,
    most: int,
    *,
    keep: bool = False,
    every: int = 0,
) -> Episode:
    """Run the policy of `source` for at most `most` steps; whatever it does, an Episode.

    The environment is reset with `seed`; the policy's own draws have another one, so that it cannot
    foresee the environment's. keep: all observations. every: a frame every so many steps.
    """
    found = Episode()
    try:
        session.start(source, seed ^ 0x5EED)
        observation, _ = env.reset(seed=seed)
        found.first = observation
        _seen(env, found, observation, keep, every)
        while found.steps < most and not found.ended:
            action = action_of(env.action_space, session.call("act", observation))
            observation = _stepped(env, found, action)
            _seen(env, found, observation, keep, every)
        found.ended = found.ended or "truncated"
    except Fault as fault:
        found.status, found.fault = _STATUS[fault.status], fault.error
    except NoAction as error:
        found.status, found.fault = "invalid", str(error)
    except OptimandError:
        raise
    except CRASHES as error:
        found.status, found.fault = "crash", f"the environment raised {said(error)}"
    if found.status == "ok" and not math.isfinite(found.total):
        found.status, found.fault = "invalid", "the environment's reward was not a finite number"
    return found


def _stepped(env: Any, found: Episode, action: Any) -> Any:
    observation, reward, terminated, truncated, info = env.step(action)
    found.steps += 1
    found.total += float(reward)
    found.ended = "terminated" if terminated else "truncated" if truncated else ""
    reached = _success(info)
    if reached is not None:
        found.success = max(reached, found.success or 0.0)
    return observation


def _seen(env: Any, found: Episode, observation: Any, keep: bool, every: int) -> None:
    found.last = observation
    if keep:
        found.observations.append(_copied(observation))
    if every and (found.steps % every == 0 or found.ended):
        found.frames.append(env.render())


def _copied(observation: Any) -> Any:
    """Some environments write into the same array again and again."""
    if isinstance(observation, dict):
        return {k: _copied(v) for k, v in observation.items()}
    return observation.copy() if isinstance(observation, np.ndarray) else observation


def _success(info: Any) -> float | None:
    """The share of success that a step speaks of, in [0, 1]; None where it does not."""
    for name in _SUCCESS:
        value = info.get(name) if isinstance(info, dict) else None
        if value is None or isinstance(value, str):
            continue
        try:
            found = float(np.max(np.asarray(value, dtype=float)))
        except CRASHES:
            continue
        return min(1.0, max(0.0, found)) if math.isfinite(found) else 0.0
    return None
