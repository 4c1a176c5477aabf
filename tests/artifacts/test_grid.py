import pytest

from optimand.artifacts.grid import grid
from optimand.artifacts.policy import Policy
from optimand.core.errors import InputError

BASE = Policy("small", max_tokens=5)


def test_names_are_made_of_what_varies():
    made = grid(
        BASE,
        prompts={"short": "{q}", "long": "Think. {q}"},
        systems=["Be brief."],
        temperatures=[0, 0.7],
    )
    assert list(made) == ["short, t=0", "short, t=0.7", "long, t=0", "long, t=0.7"]
    policy = made["long, t=0.7"]
    assert (policy.prompt, policy.temperature) == ("Think. {q}", 0.7)
    assert (policy.system, policy.model, policy.max_tokens) == ("Be brief.", "small", 5)


def test_lists_are_numbered_and_models_named():
    made = grid(BASE, prompts=["a {q}", "b {q}"], models=["small", "big"])
    assert list(made) == ["prompt 1, small", "prompt 1, big", "prompt 2, small", "prompt 2, big"]


def test_an_empty_grid_is_the_base():
    assert grid(BASE) == {"policy": BASE}


def test_repeated_values_and_single_texts_are_refused():
    with pytest.raises(InputError, match="two policies named 't=1'"):
        grid(BASE, temperatures=[1, 1.0])
    with pytest.raises(InputError, match="prompts must be a list"):
        grid(BASE, prompts="{q}")
