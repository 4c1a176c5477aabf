"""The splits of a search: apart, whole and repeatable."""

from __future__ import annotations

import pytest

from optimand import FunctionTask
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.tasks.splitting import TaskView, search_splits


def _task(examples: object = None) -> FunctionTask:
    return FunctionTask(lambda value, example, seed: 0.5, examples, name="t")  # type: ignore[arg-type]


def test_one_pool_is_divided_without_loss() -> None:
    task = _task([{"id": str(i), "input": i} for i in range(100)])
    splits = search_splits(task, 1)
    assert {name: len(split) for name, split in splits.items()} == {
        "train": 30,
        "val": 20,
        "test": 50,
    }
    assert sorted(int(e.id) for split in splits.values() for e in split) == list(range(100))
    assert search_splits(task, 1) == splits
    assert search_splits(task, 2) != splits


def test_endless_examples_take_turns() -> None:
    splits = search_splits(_task(), 0)
    ids = {name: {e.id for e in split[:50]} for name, split in splits.items()}
    assert not ids["train"] & ids["val"]
    assert not (ids["train"] | ids["val"]) & ids["test"]


def test_own_splits_must_be_apart() -> None:
    examples = tuple(Example(str(i), i) for i in range(4))
    view = TaskView(_task(), {"train": examples[:2], "test": examples[1:]})
    with pytest.raises(InputError, match=r"'1' is in train and in test"):
        search_splits(view, 0)
    view = TaskView(_task(), {"train": examples[:2], "test": examples[2:]})
    assert search_splits(view, 0)["val"] == examples[:2]
