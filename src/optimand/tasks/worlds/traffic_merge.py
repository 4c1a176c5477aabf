"""A highway with an on-ramp: automated vehicles keep the traffic flowing, or do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from optimand.tasks.worlds import about

__all__ = ["ABOUT", "TrafficMerge"]

ROAD, MERGE = 700.0, 500.0
"""Metres: the length of the road, and where the ramp joins it."""
SECOND = 0.5
"""Seconds of a step."""
STEPS = 300
DESIRED, HEADWAY, JAM, COMFORT, BRAKE, LENGTH = 30.0, 1.2, 2.0, 0.7, 2.0, 5.0
"""Intelligent driver model (Treiber, Hennecke & Helbing 2000): m/s, s, m, m/s^2, m/s^2, m."""
HARDEST = 6.0
"""m/s^2 of an emergency brake."""
INFLOW = 0.5
"""Vehicles a second that come along the highway."""
AUTOMATED = 3
"""Every so many vehicles is automated."""
RAMP_EVERY = 8
"""Steps between vehicles from the ramp."""
CONTROLLED = 4
"""Automated vehicles before the ramp that one action moves, the closest to it first."""
REACH = 2.0
"""m/s^2 of an action of 1."""

ABOUT = about("traffic-merge")


class TrafficMerge(gymnasium.Env[Any, Any]):
    """One lane, cars as points with speeds; see ABOUT. The reward of a step is about 0 to 1."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.max_steps = render_mode, STEPS
        size = CONTROLLED * 5 + 2
        self.observation_space = gymnasium.spaces.Box(-1.0, 3.0, (size,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (CONTROLLED,), np.float32)
        self._place = self._speed = np.zeros(0)
        self._automated = np.zeros(0, dtype=bool)
        self._steps = self._entered = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=dict(options or {}))
        spacing = DESIRED * 0.8 / INFLOW
        count = int(MERGE // spacing)
        noise = self.np_random.uniform(-5, 5, count)
        self._place = np.arange(count, 0, -1) * spacing + noise
        self._speed = np.full(count, DESIRED * 0.8) + self.np_random.uniform(-2, 2, count)
        self._automated = np.arange(count) % AUTOMATED == 0
        self._steps, self._entered = 0, count
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        chosen = self._chosen()
        wish = self._following()
        pushed = np.clip(np.asarray(action, dtype=float), -1, 1)[: len(chosen)] * REACH
        # Nobody may be driven into the one ahead: people's own model is the limit where it brakes.
        wish[chosen] = np.where(wish[chosen] < -BRAKE, wish[chosen], pushed)
        self._speed = np.clip(self._speed + wish * SECOND, 0.0, DESIRED * 1.1)
        self._place = self._place + self._speed * SECOND
        self._apart()
        self._come_and_go()
        self._steps += 1
        return self._seen(), self._reward(), False, self._steps >= STEPS, {}

    def _gaps(self) -> Any:
        """Metres to the rear of the vehicle ahead; places run from the first vehicle back."""
        return np.append(np.inf, self._place[:-1] - self._place[1:] - LENGTH)

    def _following(self) -> Any:
        """Accelerations by the intelligent driver model, with a little noise of people's own."""
        ahead = np.append(DESIRED, self._speed[:-1])
        gap = np.maximum(self._gaps(), 0.1)
        closing = self._speed * (self._speed - ahead) / (2 * np.sqrt(COMFORT * BRAKE))
        wished = JAM + np.maximum(0.0, self._speed * HEADWAY + closing)
        free = 1 - (self._speed / DESIRED) ** 4
        noise = self.np_random.normal(0, 0.2, len(self._speed))
        return np.clip(COMFORT * (free - (wished / gap) ** 2) + noise, -HARDEST, COMFORT)

    def _apart(self) -> None:
        """Nobody passes through the one ahead: who would, stops behind it."""
        for i in range(1, len(self._place)):
            behind = self._place[i - 1] - LENGTH - 0.5
            if self._place[i] > behind:
                self._place[i] = behind
                self._speed[i] = min(self._speed[i], self._speed[i - 1])

    def _come_and_go(self) -> None:
        on = self._place < ROAD
        self._place, self._speed = self._place[on], self._speed[on]
        self._automated = self._automated[on]
        last = self._place[-1] if len(self._place) else ROAD
        if last > LENGTH + 10 and self.np_random.random() < INFLOW * SECOND * 1.1:
            speed = min(DESIRED * 0.8, float(self._speed[-1]) + 2 if len(self._speed) else DESIRED)
            self._put(len(self._place), 0.0, speed, self._entered % AUTOMATED == 0)
            self._entered += 1
        if self._steps % RAMP_EVERY == RAMP_EVERY - 1:
            index = int((self._place > MERGE).sum())
            before = self._place[index - 1] - MERGE if index else np.inf
            after = MERGE - self._place[index] if index < len(self._place) else np.inf
            if before > LENGTH + 2 and after > LENGTH + 2:
                self._put(index, MERGE, DESIRED * 0.35, False)

    def _put(self, index: int, place: float, speed: float, automated: bool) -> None:
        self._place = np.insert(self._place, index, place)
        self._speed = np.insert(self._speed, index, speed)
        self._automated = np.insert(self._automated, index, automated)

    def _chosen(self) -> Any:
        """The automated vehicles before the ramp, the closest first."""
        return np.flatnonzero(self._automated & (self._place < MERGE))[:CONTROLLED]

    def _seen(self) -> Any:
        found = np.zeros(CONTROLLED * 5 + 2)
        gaps, ahead = self._gaps(), np.append(DESIRED, self._speed[:-1])
        behind = np.append(self._speed[1:], 0.0)
        for row, i in enumerate(self._chosen()):
            values = [(MERGE - self._place[i]) / MERGE, self._speed[i] / DESIRED]
            values += [ahead[i] / DESIRED, min(gaps[i], 100.0) / 100, behind[i] / DESIRED]
            found[row * 5 : row * 5 + 5] = values
        found[-2:] = self._speed.mean() / DESIRED if len(self._speed) else 0, len(self._speed) / 50
        return np.clip(found, -1, 3).astype(np.float32)

    def _reward(self) -> float:
        chosen = self._chosen()
        headway = self._gaps()[chosen] / np.maximum(self._speed[chosen], 1.0)
        speed = float(self._speed.mean()) / DESIRED if len(self._speed) else 1.0
        return speed - 0.1 * float((headway < 1.0).sum()) / CONTROLLED

    def render(self) -> Any:
        """The road in two rows, automated vehicles red: an array of shape (48, 352, 3), uint8."""
        picture = np.full((48, 352, 3), 255, dtype=np.uint8)
        picture[20:30] = 200
        picture[30:40, int(MERGE / 2) - 20 : int(MERGE / 2)] = 225
        for place, automated in zip(self._place, self._automated, strict=True):
            left = int(place / 2)
            picture[22:28, left : left + 3] = (200, 30, 30) if automated else (40, 40, 120)
        return picture
