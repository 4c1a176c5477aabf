"""A town in an epidemic: each day a stage of restrictions, hospital beds against livelihoods.

A stochastic SEIR model in three age groups. The population is synthetic; the constants are of the
size published for the first wave of COVID-19, and are not fitted to any place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from optimand.tasks.worlds import about

__all__ = ["ABOUT", "Epidemic"]

DAYS = 120
GROUPS = np.array([2500, 5500, 2000])
"""People: young, middle-aged, old."""
MIXING = np.array([[1.8, 0.8, 0.3], [0.8, 1.2, 0.5], [0.3, 0.5, 0.7]])
"""Contacts between groups, relative; most with one's own age, as in Mossong et al. 2008."""
R0 = 2.6
"""Infections that one causes at first without restrictions (published estimates are 2 to 3.5)."""
LATENT, INFECTIOUS, IN_HOSPITAL = 4.0, 6.0, 10.0
"""Days, means of geometric times."""
SEVERE = np.array([0.002, 0.02, 0.12])
"""Share of infections that need a bed, by group; of the size in Ferguson et al. 2020."""
BEDS = 40
CONTACT = (1.0, 0.85, 0.6, 0.4, 0.25)
"""Share of contacts left in each stage."""
ECONOMY = (0.0, 0.12, 0.35, 0.8, 1.6)
"""Cost of a day in each stage."""
OVER = 0.4
"""Cost of a day for each patient beyond the beds."""
SICK = 0.003
"""Cost of each new infection."""
SWITCH = 0.25
"""Cost of a stage by which the restrictions change."""
FOUND = 0.4
"""Share of new infections that are reported, the day after."""

ABOUT = about("epidemic")


class Epidemic(gymnasium.Env[Any, Any]):
    """See ABOUT. The return of an episode is negative; near -40 is good, -100 and below is bad."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.max_steps = render_mode, DAYS
        self.observation_space = gymnasium.spaces.Box(0.0, float(GROUPS.sum()), (8,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(CONTACT))
        # The largest eigenvalue of the next-generation matrix is R0 without restrictions.
        share = GROUPS / GROUPS.sum()
        largest = max(abs(np.linalg.eigvals(MIXING * share[:, None])))
        self._rate = MIXING * R0 / INFECTIOUS / largest
        self._people = np.zeros((5, 3), dtype=np.int64)
        self._reported: list[int] = []
        self._stages: list[int] = []
        self._hospital: list[int] = []

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=dict(options or {}))
        exposed = self.np_random.multinomial(
            int(self.np_random.integers(10, 30)), GROUPS / GROUPS.sum()
        )
        zero = np.zeros(3, dtype=np.int64)
        self._people = np.array([GROUPS - exposed, exposed, zero, zero, zero])
        self._reported, self._stages, self._hospital = [], [0], [0]
        return self._seen(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        stage, before = int(action), self._stages[-1]
        fresh = self._day(CONTACT[stage])
        self._stages.append(stage)
        self._hospital.append(int(self._people[3].sum()))
        self._reported.append(int(self.np_random.binomial(fresh, FOUND)))
        over = max(0, self._hospital[-1] - BEDS)
        cost = ECONOMY[stage] + OVER * over + SICK * fresh + SWITCH * abs(stage - before)
        return self._seen(), -cost, False, len(self._stages) > DAYS, {"over": over}

    def _day(self, contact: float) -> int:
        """One day of everybody's; how many were infected."""
        free, exposed, sick, patients, _ = self._people
        force = contact * self._rate @ (sick / GROUPS.sum())
        draw = self.np_random.binomial
        caught = draw(free, 1 - np.exp(-force))
        begun = draw(exposed, 1 / LATENT)
        ended = draw(sick, 1 / INFECTIOUS)
        severe = draw(ended, SEVERE)
        healed = draw(patients, 1 / IN_HOSPITAL)
        change = [-caught, caught - begun, begun - ended, severe - healed, ended - severe + healed]
        self._people = self._people + np.array(change)
        return int(caught.sum())

    def _seen(self) -> Any:
        cases, stages = self._reported, self._stages
        since = next((i for i, s in enumerate(reversed(stages)) if s != stages[-1]), len(stages))
        week, earlier = (float(np.mean(c)) if c else 0.0 for c in (cases[-7:], cases[-14:-7]))
        day = (len(stages) - 1) / DAYS
        numbers = [day, cases[-1] if cases else 0, week, earlier]
        return np.array([*numbers, self._hospital[-1], BEDS, stages[-1], since], dtype=np.float32)

    def render(self) -> Any:
        """Patients (black) against beds (red), and stages (bars): shape (120, 240, 3), uint8."""
        picture = np.full((120, 240, 3), 255, dtype=np.uint8)
        high = max(2 * BEDS, *self._hospital)
        picture[99 - int(99 * BEDS / high)] = (220, 60, 60)
        for day, (patients, stage) in enumerate(zip(self._hospital, self._stages, strict=True)):
            picture[120 - stage * 5 : 120, 2 * day : 2 * day + 2] = (150, 170, 220)
            top = 99 - int(99 * patients / high)
            picture[top : top + 2, 2 * day : 2 * day + 2] = 30
        return picture
