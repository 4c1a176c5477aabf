"""A task seen through other splits, and the splits that a search needs: train, val and test."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Literal

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example, endless
from optimand.core.keys import seed_from
from optimand.core.record import Record
from optimand.core.task import Judge, Task, most_steps

__all__ = ["TaskView", "search_splits"]

SHARES = {"train": 0.3, "val": 0.2, "test": 0.5}
"""How one pool is divided: proof needs most, to tell a small gain from luck."""
LEAST = 10


class TaskView:
    """The same task with only the given splits: what is not here cannot be reached."""

    def __init__(self, task: Task, splits: Mapping[str, Sequence[Example]]) -> None:
        self._task = task
        self.name = task.name
        self.splits: Mapping[str, Sequence[Example]] = dict(splits)
        # Held-out examples stand for those to come.
        self.population: Literal["whole", "sample"] = "sample"
        self.width = task.width
        self.judge: Judge | None = task.judge
        self.steps_per_run = most_steps(task)
        self.about: str = getattr(task, "about", "")
        self.clients: Mapping[str, Any] = getattr(task, "clients", {})

    def fingerprint(self) -> str:
        """The task's."""
        return self._task.fingerprint()

    def check(self, artifact: Artifact) -> list[str]:
        """The task's complaints."""
        return self._task.check(artifact)

    def execute(
        self, candidate: Candidate, example: Example, seed: int
    ) -> Record | Awaitable[Record]:
        """The task's record."""
        return self._task.execute(candidate, example, seed)

    async def close(self) -> None:
        """Leaves the task open: its owner closes it."""


class _Every(Sequence[Example]):
    """Every `step`-th of endless examples, from `first` on."""

    def __init__(self, base: Sequence[Example], first: int, step: int) -> None:
        self._base, self._first, self._step = base, first, step

    def __len__(self) -> int:
        return len(self._base) // self._step

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._base[self._first + index * self._step]


def search_splits(task: Task, seed: int) -> dict[str, Sequence[Example]]:
    """Splits for a search: the task's own train, val and test, or its single pool divided.

    A pool "all" is shuffled by `seed` and divided 30/20/50; endless examples take turns. A task
    with train but no val uses train for both. Raises InputError for a pool of fewer than 10, and
    for an example that two splits share.
    """
    splits = {name: split for name, split in task.splits.items() if len(split)}
    if "train" in splits or "val" in splits:
        known: dict[str, Sequence[Example]] = {n: splits[n] for n in SHARES if n in splits}
        known.setdefault("train", known.get("val", ()))
        known.setdefault("val", known["train"])
        _apart(known)
        return known
    pool = splits.get("all", ())
    if endless(pool):
        return {name: _Every(pool, i, 3) for i, name in enumerate(SHARES)}
    if len(pool) < LEAST:
        raise InputError(
            f"task {task.name!r} has {len(pool)} examples. Improving needs at least {LEAST}: some "
            "to learn from, some to choose by, and some to prove the gain on."
        )
    order = sorted(range(len(pool)), key=lambda i: seed_from(seed, "split", pool[i].key))
    ends = [round(len(pool) * SHARES["train"]), round(len(pool) * (1.0 - SHARES["test"]))]
    cuts = {"train": order[: ends[0]], "val": order[ends[0] : ends[1]], "test": order[ends[1] :]}
    return {name: tuple(pool[i] for i in places) for name, places in cuts.items()}


def _apart(splits: Mapping[str, Sequence[Example]]) -> None:
    if "test" not in splits or endless(splits["test"]):
        return
    test = {example.key for example in splits["test"]}
    for name in ("train", "val"):
        split = splits[name]
        shared = [] if endless(split) else [e for e in split if e.key in test]
        if shared:
            raise InputError(
                f"example {shared[0].id!r} is in {name} and in test. A gain can only be proven on "
                "examples that the search never saw."
            )
