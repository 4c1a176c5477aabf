import json
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from optimand.core.errors import InputError
from optimand.evaluation.sandbox.inside.program import Program
from optimand.tasks.control.spaces import NoAction, action_of, random_source, space_in_words

BOX = spaces.Box(np.float32([-1, 0]), np.float32([1, 5]))
WHOLE = spaces.Box(0, 9, (2,), np.int64)
ODD = spaces.Discrete(3, start=5)
MANY = spaces.MultiDiscrete([2, 3], start=[1, 10])
BITS = spaces.MultiBinary(3)
OPEN = spaces.Box(np.float32([0, -np.inf]), np.float32([np.inf, np.inf]))


@pytest.mark.parametrize(
    ("space", "answer", "action"),
    [
        (ODD, 5, 5),
        (ODD, 7.0, 7),
        (ODD, [6], 6),
        (spaces.Discrete(2), True, 1),
        (BOX, [0.5, 2], [0.5, 2.0]),
        (BOX, [[-9, 9]], [-1.0, 5.0]),
        (WHOLE, [3.0, 4], [3, 4]),
        (MANY, [2, 12], [2, 12]),
        (BITS, [1, 0, True], [1, 0, 1]),
    ],
)
def test_answers_that_are_actions(space: Any, answer: Any, action: Any) -> None:
    found = action_of(space, answer)
    assert space.contains(found) or space.contains(np.asarray(found))
    assert np.asarray(found).tolist() == action


@pytest.mark.parametrize(
    ("space", "answer", "why"),
    [
        (ODD, 4, "from 5 to 7"),
        (ODD, 5.5, "no whole number"),
        (ODD, None, "no whole number"),
        (ODD, "5", "no whole number"),
        (BOX, [1], "answered 1 numbers, and an action has 2"),
        (BOX, 0.3, "an action has 2"),
        (BOX, [float("nan"), 1], "finite"),
        (BOX, [10**400, 1], "no numbers"),
        (BOX, {"a": 1}, "no numbers"),
        (BOX, "up", "no numbers"),
        (BOX, [[1], [2, 3]], "no numbers"),
        (WHOLE, [0.7, 1], "whole"),
        (MANY, [0, 10], "must be"),
        (MANY, [2, 10.5], "whole"),
        (BITS, [0, 1, 2], "must be"),
    ],
)
def test_answers_that_are_none(space: Any, answer: Any, why: str) -> None:
    with pytest.raises(NoAction, match=why):
        action_of(space, answer)


@pytest.mark.parametrize(
    "space", [spaces.Dict(a=BOX), spaces.Tuple((ODD,)), spaces.Text(5), spaces.Sequence(BOX)]
)
def test_spaces_that_no_policy_can_act_in(space: Any) -> None:
    with pytest.raises(InputError, match="policies can act by Box"):
        action_of(space, None)
    with pytest.raises(InputError, match="policies can act by Box"):
        random_source(space)


@pytest.mark.parametrize("space", [BOX, WHOLE, ODD, MANY, BITS, OPEN, spaces.Discrete(4)])
def test_a_random_policy_acts_in_its_space_and_everywhere(space: Any) -> None:
    program = Program(random_source(space), seed=1)
    drawn = [program.call("act", [None]) for _ in range(300)]
    actions = [action_of(space, json.loads(json.dumps(d))) for d in drawn]
    assert all(space.contains(np.asarray(a, space.dtype)) or space.contains(a) for a in actions)
    flat = np.array([np.ravel(a) for a in actions], dtype=float)
    assert (flat.std(axis=0) > 0.2).all()


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (ODD, "a whole number from 5 to 7"),
        (BOX, "an array of shape (2), float32, from [0] -1 to 1, [1] 0 to 5"),
        (WHOLE, "an array of shape (2), int64, each from 0 to 9"),
        (MANY, "whole numbers: [0] 1 to 2, [1] 10 to 12"),
        (BITS, "an array of shape (3,) of 0 and 1"),
        (spaces.Dict(a=ODD), "a mapping: 'a': a whole number from 5 to 7"),
        (spaces.Tuple((ODD, BITS)), "a tuple: a whole number from 5 to 7; an array of"),
        (spaces.Text(5), "a text of at most 5 characters"),
        (spaces.Box(0, 1, (50,)), "an array of shape (50), float32, each from 0 to 1"),
    ],
)
def test_spaces_in_words(space: Any, words: str) -> None:
    assert space_in_words(space).startswith(words)
