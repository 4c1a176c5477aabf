"""Boards of NoiseWorld: layouts that depend on the board's number alone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = [
    "BAD",
    "FREE",
    "GOAL",
    "MAY_RESET",
    "MAY_STAY",
    "MILESTONES",
    "MOVES",
    "WALL",
    "Board",
    "make_board",
]

FREE, WALL, BAD, GOAL, MAY_STAY, MAY_RESET = 0, 1, 2, 3, 4, 5
MILESTONES = (6, 7)
"""Codes of cells. FREE, MAY_STAY and MAY_RESET are also the kinds of regions: in a region that may
stay (reset), a move leaves the agent in place (takes it to the start) with the region's chance."""
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
LEAST, MOST = 0.25, 0.95
BOARDS = range(7)
_SEED = 2605_30719


@dataclass(frozen=True)
class Board:
    """codes, regions: arrays of shape (size, size); kinds and chances by region."""

    size: int
    codes: Any
    regions: Any
    kinds: tuple[int, ...]
    chances: tuple[float, ...]
    milestones: tuple[tuple[int, int], ...]


def make_board(number: int) -> Board:
    """The board of this number, 0 to 6: 0 is small, 4 to 6 want two milestones first.

    n x n cells in max(4, n / 2) regions around seeds of even draw (Manhattan distance), each free,
    or with a chance from U(0.25, 0.95) of staying or of going back to the start; max(1, 0.005 n^2)
    walls and max(1, 0.002 n^2) bad ends, which leave a way to the goal. Layouts in which the best
    policy can hardly win are drawn again. Raises InputError for another number.
    """
    if isinstance(number, bool) or number not in BOARDS:
        raise InputError(f"noise-world: board is {shown(number)}; it must be 0 to {BOARDS[-1]}")
    rng = np.random.default_rng([_SEED, number])
    while True:
        board = _drawn(rng, 5 if number == 0 else 10, milestones=2 if number >= 4 else 0)
        if _passable(board):
            return board


def _drawn(rng: Any, size: int, milestones: int) -> Board:
    count = max(4, size // 2)
    seeds = rng.integers(0, size, (count, 2))
    cells = np.indices((size, size)).transpose(1, 2, 0)
    distances = np.abs(cells[:, :, None, :] - seeds).sum(axis=3)
    regions = distances.argmin(axis=2)
    kinds = tuple(int(k) for k in rng.choice([FREE, MAY_STAY, MAY_RESET], count))
    chances = tuple(float(c) for c in rng.uniform(LEAST, MOST, count))
    codes = np.array(kinds, dtype=np.int64)[regions]
    ends = {(0, 0), (size - 1, size - 1)}
    free = [(r, c) for r in range(size) for c in range(size) if (r, c) not in ends]
    walls, bad = max(1, int(0.005 * size**2)), max(1, int(0.002 * size**2))
    places = [free[i] for i in rng.choice(len(free), walls + bad + milestones, replace=False)]
    for place in places[:walls]:
        codes[place] = WALL
    for place in places[walls : walls + bad]:
        codes[place] = BAD
    marks = tuple(places[walls + bad :])
    for code, place in zip(MILESTONES, marks, strict=False):
        codes[place] = code
    codes[size - 1, size - 1] = GOAL
    return Board(size, codes, regions, kinds, chances, marks)


def _passable(board: Board) -> bool:
    """Whether a way that can be relied on leads from the start to the milestones and the goal.

    Regions that may reset are taken for closed: a way through them is walked with luck alone.
    """
    closed = (WALL, BAD, MAY_RESET)
    if board.codes[0, 0] in closed:
        return False
    seen, ahead = {(0, 0)}, deque([(0, 0)])
    while ahead:
        row, column = ahead.popleft()
        for down, right in MOVES:
            place = (row + down, column + right)
            inside = all(0 <= x < board.size for x in place)
            if inside and place not in seen and not _shut(board, place, closed):
                seen.add(place)
                ahead.append(place)
    goal = (board.size - 1, board.size - 1)
    return {goal, *board.milestones} <= seen


def _shut(board: Board, place: tuple[int, int], closed: tuple[int, ...]) -> bool:
    code = int(board.codes[place])
    return code in closed or board.kinds[board.regions[place]] == MAY_RESET
