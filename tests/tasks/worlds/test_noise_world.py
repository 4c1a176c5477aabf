from typing import Any

import numpy as np
import pytest

from optimand.tasks.worlds import make_world
from optimand.tasks.worlds.noise_board import (
    BAD,
    GOAL,
    LEAST,
    MAY_RESET,
    MAY_STAY,
    MILESTONES,
    MOST,
    MOVES,
    WALL,
    Board,
    make_board,
)


def plan(board: Board) -> Any:
    """Values by milestones reached, row and column, by value iteration on the true model."""
    stages = len(board.milestones) + 1
    values = np.zeros((stages, board.size, board.size))
    for _ in range(400):
        new = np.array(
            [
                [
                    [max(worth(board, values, m, (r, c), move) for move in MOVES)
                     for c in range(board.size)]
                    for r in range(board.size)
                ]
                for m in range(stages)
            ]
        )  # fmt: skip
        if np.abs(new - values).max() < 1e-3:
            break
        values = new
    return values


def worth(board: Board, values: Any, m: int, at: tuple[int, int], move: tuple[int, int]) -> float:
    size = board.size
    to = (at[0] + move[0], at[1] + move[1])
    if not all(0 <= x < size for x in to) or board.codes[to] == WALL:
        to = at
    kind, chance = board.kinds[board.regions[at]], board.chances[board.regions[at]]
    found = arrived(board, values, m, to)
    if kind == MAY_STAY:
        found = chance * arrived(board, values, m, at) + (1 - chance) * found
    if kind == MAY_RESET:
        found = chance * arrived(board, values, m, (0, 0)) + (1 - chance) * found
    return found


def arrived(board: Board, values: Any, m: int, at: tuple[int, int]) -> float:
    m += m < len(board.milestones) and board.codes[at] == MILESTONES[m]
    if board.codes[at] == BAD:
        return -1.0 - board.size**5
    if board.codes[at] == GOAL and m == len(board.milestones):
        return -1.0 + board.size**3
    return -1.0 + 0.999 * float(values[m][at])


@pytest.mark.parametrize(("number", "least"), [(0, 105), (1, 900), (2, 900), (3, 900), (4, 900)])
def test_a_planner_that_knows_the_codes_wins(number: int, least: float) -> None:
    world = make_world("noise-world", board=number)
    board, totals = world.board, []
    values = plan(board)
    for seed in range(10):
        seen, _ = world.reset(seed=seed)
        total, over, m = 0.0, False, 0
        while not over:
            at = tuple(int(x) for x in seen["position"])
            m += m < len(board.milestones) and board.codes[at] == MILESTONES[m]
            best = np.argmax([worth(board, values, m, at, move) for move in MOVES])
            seen, reward, ended, cut, info = world.step(int(best))
            total, over = total + reward, ended or cut
        totals.append(total)
    assert np.mean(totals) >= least
    assert info["success"]


@pytest.mark.parametrize("number", range(7))
def test_boards_are_as_described(number: int) -> None:
    board = make_board(number)
    n = board.size
    assert n == (5 if number == 0 else 10)
    assert len(board.kinds) == len(board.chances) == max(4, n // 2)
    assert all(LEAST <= c <= MOST for c in board.chances)
    assert (board.codes == WALL).sum() == max(1, int(0.005 * n * n))
    assert (board.codes == BAD).sum() == max(1, int(0.002 * n * n))
    assert board.codes[n - 1, n - 1] == GOAL
    assert len(board.milestones) == (2 if number >= 4 else 0)
    assert (board.codes == make_board(number).codes).all()


def test_luck_does_not_win() -> None:
    rng = np.random.default_rng(0)
    for number in range(1, 4):
        world = make_world("noise-world", board=number)
        wins = 0
        for seed in range(20):
            world.reset(seed=seed)
            over = False
            while not over:
                _, _, ended, cut, info = world.step(int(rng.integers(4)))
                over = ended or cut
            wins += info["success"]
        assert wins <= 2
