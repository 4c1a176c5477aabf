"""A grid whose floor misbehaves by region: hard to explore, easy to plan once it is understood.

Rebuilt from the description of NoiseWorld in PromptPO (arXiv:2605.30719); layouts are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from optimand.tasks.worlds import about
from optimand.tasks.worlds.noise_board import (
    BAD,
    FREE,
    GOAL,
    MAY_RESET,
    MAY_STAY,
    MILESTONES,
    MOVES,
    WALL,
    Board,
    make_board,
)

__all__ = ["ABOUT", "NoiseWorld"]

ABOUT = about("noise-world")

_COLOURS = np.array(
    [(235, 235, 235), (40, 40, 40), (190, 30, 30), (30, 150, 60),
     (225, 205, 120), (130, 160, 220), (190, 130, 210), (240, 160, 60)],
    dtype=np.uint8,
)  # fmt: skip
_AGENT = (20, 20, 200)
CELL = 16
"""Pixels of a cell in a picture."""


class NoiseWorld(gymnasium.Env[Any, Any]):
    """Board 0 to 6. Reward: -1 a step, +n^3 at the goal, -n^5 at a bad end; at most n^2 steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, board: int = 1, render_mode: str | None = None) -> None:
        self.board: Board = make_board(board)
        size = self.board.size
        self.max_steps = size**2
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(4)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "board": gymnasium.spaces.Box(0, 7, (size, size), np.int64),
                "position": gymnasium.spaces.Box(0, size - 1, (2,), np.int64),
            }
        )
        self._at = (0, 0)
        self._steps = self._reached = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed, options=dict(options or {}))
        self._at, self._steps, self._reached = (0, 0), 0, 0
        return self._seen(), {}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        size, code = self.board.size, self.board.codes
        self._steps += 1
        self._at = self._moved(MOVES[int(action)])
        here = int(code[self._at])
        if self._reached < len(self.board.milestones) and here == MILESTONES[self._reached]:
            self._reached += 1
        reward, terminated = -1.0, False
        if here == BAD:
            reward, terminated = reward - size**5, True
        won = here == GOAL and self._reached == len(self.board.milestones)
        if won:
            reward, terminated = reward + size**3, True
        truncated = not terminated and self._steps >= self.max_steps
        return self._seen(), reward, terminated, truncated, {"success": won}

    def _moved(self, move: tuple[int, int]) -> tuple[int, int]:
        region = self.board.regions[self._at]
        kind, chance = self.board.kinds[region], self.board.chances[region]
        if kind != FREE and self.np_random.random() < chance:
            return self._at if kind == MAY_STAY else (0, 0) if kind == MAY_RESET else self._at
        row, column = self._at[0] + move[0], self._at[1] + move[1]
        inside = 0 <= row < self.board.size and 0 <= column < self.board.size
        return (row, column) if inside and self.board.codes[row, column] != WALL else self._at

    def _seen(self) -> dict[str, Any]:
        return {"board": self.board.codes.copy(), "position": np.array(self._at, dtype=np.int64)}

    def render(self) -> Any:
        """The board as a picture of shape (16 n, 16 n, 3), uint8."""
        picture = _COLOURS[self.board.codes].repeat(CELL, axis=0).repeat(CELL, axis=1).copy()
        top, left = self._at[0] * CELL + 4, self._at[1] * CELL + 4
        picture[top : top + CELL - 8, left : left + CELL - 8] = _AGENT
        return picture
