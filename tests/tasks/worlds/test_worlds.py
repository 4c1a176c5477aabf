from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from optimand.core.errors import InputError
from optimand.tasks.worlds import WORLDS, about, make_world
from optimand.tasks.worlds import epidemic as town

Act = Callable[[Any, int], Any]


def episode(world: Any, act: Act, seed: int) -> tuple[float, int]:
    seen, _ = world.reset(seed=seed)
    total, steps, over = 0.0, 0, False
    while not over:
        seen, reward, ended, cut, _ = world.step(act(seen, steps))
        total, steps, over = total + reward, steps + 1, ended or cut
    return total, steps


def mean(world: Any, act: Act, episodes: int = 10) -> float:
    return float(np.mean([episode(world, act, seed)[0] for seed in range(episodes)]))


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_one_of_gymnasium(name: str) -> None:
    check_env(make_world(name), skip_render_check=True)
    assert len(about(name)) > 400


@pytest.mark.parametrize("name", WORLDS)
def test_the_same_seed_gives_the_same_episode_within_the_limit(name: str) -> None:
    world = make_world(name)
    draws = [world.action_space.sample() for _ in range(500)]

    def act(seen: Any, step: int) -> Any:
        return draws[step]

    first = episode(world, act, 3)
    assert first == episode(make_world(name), act, 3)
    assert first[1] <= world.max_steps
    if name != "noise-world":  # where these moves may meet no cell that misbehaves
        assert first != episode(world, act, 4)


@pytest.mark.parametrize("name", WORLDS)
def test_pictures(name: str) -> None:
    world = make_world(name, render_mode="rgb_array")
    world.reset(seed=0)
    before = world.render()
    for _ in range(40):
        world.step(1) if name != "traffic-merge" else world.step(np.ones(4))
    assert before.dtype == np.uint8
    assert before.shape == world.render().shape
    assert before.shape[2] == 3


def human(seen: Any, step: int) -> Any:
    """The intelligent driver model for the automated vehicles too."""
    rows = seen[:20].reshape(4, 5)
    speed, gap = rows[:, 1] * 30, np.maximum(rows[:, 3] * 100, 0.1)
    closing = speed * (speed - rows[:, 2] * 30) / (2 * np.sqrt(0.7 * 2.0))
    wished = 2 + np.maximum(0, speed * 1.2 + closing)
    return np.clip(0.7 * (1 - (speed / 30) ** 4 - (wished / gap) ** 2) / 2, -1, 1)


def test_careful_driving_keeps_the_traffic_flowing() -> None:
    world = make_world("traffic-merge")
    careful, pushing = mean(world, human), mean(world, lambda *_: np.ones(4))
    standing = mean(world, lambda *_: -np.ones(4))
    assert standing < 100 < pushing < careful - 15
    assert careful < 220


def test_restrictions_that_answer_to_the_town_beat_all_that_do_not() -> None:
    world = make_world("epidemic")
    fixed = [mean(world, lambda *_, s=stage: s, 5) for stage in range(5)]

    def answering(seen: Any, step: int) -> int:
        if step < 8:
            return 0
        return 1 if seen[4] < 30 and seen[2] < 30 else 2

    assert mean(world, answering, 5) > max(fixed) + 5
    assert fixed.index(max(fixed)) == 2


def test_the_epidemic_grows_by_r0_without_restrictions() -> None:
    """The largest eigenvalue of the next-generation matrix, in a town that nobody has had it in."""
    world = town.Epidemic()
    share = town.GROUPS / town.GROUPS.sum()
    next_generation = world._rate * share[:, None] * town.INFECTIOUS
    assert max(abs(np.linalg.eigvals(next_generation))) == pytest.approx(town.R0)


def test_what_is_told_of_the_epidemic_is_so() -> None:
    words = about("epidemic")
    numbers = (town.BEDS, town.OVER, town.SICK, town.SWITCH, town.DAYS, town.ECONOMY)
    assert all(str(n) in words for n in numbers)


@pytest.mark.parametrize("board", [-1, 7, True, "x"])
def test_boards_that_are_not_there(board: object) -> None:
    with pytest.raises(InputError, match="board"):
        make_world("noise-world", board=board)
