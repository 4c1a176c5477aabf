"""What may change: limits, placeholders, typed settings; nothing else gets through."""

from __future__ import annotations

from typing import Any

import pytest

from optimand import FunctionTask, Policy
from optimand.artifacts.given import start_and_surface
from optimand.artifacts.space import Choice, Number, setting_from
from optimand.core.errors import InputError

TASK = FunctionTask(lambda value, example, seed: 0.5, name="t")
PARTS = {"a": "one", "b": "two", "n": {"depth": 3}, "kind": "x"}


def _surface(given: Any, **change: Any) -> Any:
    return start_and_surface(given, change or None, TASK)


def test_only_named_parts_change_and_the_rest_stays() -> None:
    start, surface = _surface(PARTS, texts=["a"], settings={"n.depth": {"low": 1, "high": 9}})
    changed, wrong = surface.change(start.artifact, {"a": "new", "n.depth": "5"})
    assert not wrong
    assert dict(changed.parts) == {**PARTS, "a": "new", "n": {"depth": 5.0}}
    assert dict(start.artifact.parts) == PARTS
    assert surface.change(start.artifact, {"b": "new"}) == (None, ["part 'b' may not change"])


def test_limits_are_said_with_the_number() -> None:
    start, surface = _surface(PARTS, texts=["a"], limits={"a": 5})
    assert surface.change(start.artifact, {"a": "123456"})[1] == [
        "part 'a' has 6 characters; the limit is 5"
    ]
    assert surface.change(start.artifact, {"a": "12345"})[0] is not None


def test_a_policy_keeps_its_placeholders() -> None:
    start, surface = start_and_surface(Policy("m", "Q: {question}"), None, TASK)
    assert surface.names == ("system", "prompt")
    kept, _ = surface.change(start.artifact, {"prompt": "Please answer. {question}"})
    assert kept is not None
    for broken in ("Please answer.", "{question", "{question} {}"):
        assert surface.change(start.artifact, {"prompt": broken})[0] is None


@pytest.mark.parametrize(
    ("setting", "value", "found"),
    [
        (Number(0, 1), "0.5", 0.5),
        (Number(0, 1), 2, None),
        (Number(0, 1), "nan", None),
        (Number(0, 1), "much", None),
        (Number(1, 9, whole=True), "3", 3),
        (Number(1, 9, whole=True), 3.5, None),
        (Number(1, 9, whole=True), float("inf"), None),
        (Choice(("a", 2)), "2", 2),
        (Choice(("a", 2)), "b", None),
    ],
)
def test_settings_are_cast_or_refused(setting: Any, value: Any, found: Any) -> None:
    got, complaint = setting.cast(value)
    assert got == found
    assert bool(complaint) is (found is None)


@pytest.mark.parametrize(
    "spec", [{"low": 1}, {"low": 2, "high": 1}, {"low": 0, "high": 1, "log": True}, ["a"], 3, None]
)
def test_settings_that_cannot_be_meant(spec: Any) -> None:
    with pytest.raises(InputError, match="setting 'x'"):
        setting_from("x", spec)
