"""Warm starts: what an earlier study left, and a later one that goes on from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from optimand.core.action import Strategy
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError, StorageError
from optimand.core.example import Example, endless
from optimand.core.keys import content_hash
from optimand.core.task import Task
from optimand.statistics.carrying import duel_arrays, load_duel, load_race, race_arrays
from optimand.statistics.duel import DuelState
from optimand.statistics.duel_stoppers import betting_stop
from optimand.statistics.race import Race
from optimand.strategies.pick.order import Begun

__all__ = ["Carried", "keep", "unseen", "warm_duel", "warm_race", "with_warm_start"]

MOST_PAIRED = 24
"""Candidates of a race up to which each pair's bets are kept: the log would grow too big."""
NOTHING: Mapping[str, Any] = {"examples": [], "drawn": 0, "used": 0}
PAIRED = ("total", "squares", "shared", "power", "sizes", "wealth")


@dataclass(frozen=True)
class Carried:
    """What the study `study` left. `body` is plain JSON, as its log keeps it (see `keep`)."""

    study: str
    body: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """A hash of all that is carried."""
        return content_hash(self.body)

    @property
    def kind(self) -> str:
        """Which strategy left it: "race" or "duel"."""
        return str(self.body["kind"])

    def place(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """The index of each earlier candidate among `ids`, -1 where it is missing."""
        index = {id_: i for i, id_ in enumerate(ids)}
        return np.array([index.get(id_, -1) for id_ in self.body["candidates"]])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers by name."""
        return {name: np.array(rows, float) for name, rows in self.body["arrays"].items()}

    def told(self, ids: Sequence[str]) -> dict[str, Any]:
        """What a verdict says of it; `evidence`: whether that counts, or only guides."""
        whole = bool((self.place(ids) >= 0).all())
        return {
            "study": self.study,
            "used": self.body["used"],
            "unit": self.body["unit"],
            "evidence": whole,
        }


def keep(
    state: DuelState | Race, ids: Sequence[str], used: int, begun: Begun, before: Carried | None
) -> dict[str, Any]:
    """What a later study may go on from, as plain JSON: numbers, and the examples used up.

    `used`: comparisons or rollouts of this study. What came `before` it is counted in.
    """
    duel = isinstance(state, DuelState)
    arrays = duel_arrays(state) if isinstance(state, DuelState) else race_arrays(state)
    if not duel and len(ids) > MOST_PAIRED:
        arrays = {name: array for name, array in arrays.items() if name not in PAIRED}
    earlier: Mapping[str, Any] = NOTHING if before is None else before.body
    return {
        "kind": "duel" if duel else "race",
        "candidates": list(ids),
        "arrays": {name: array.tolist() for name, array in arrays.items()},
        "examples": [*earlier["examples"], *begun.keys()],
        "drawn": earlier["drawn"] + begun.drawn(),
        "used": earlier["used"] + used,
        "unit": "comparisons" if duel else "rollouts",
    }


class _Later(Sequence[Example]):
    """Examples without end, from a place on."""

    def __init__(self, examples: Sequence[Example], begin: int) -> None:
        self._examples, self._begin = examples, begin

    def __len__(self) -> int:
        return len(self._examples) - self._begin

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | Sequence[Example]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._examples[self._begin + index]


def unseen(examples: Sequence[Example], before: Carried | None) -> Sequence[Example]:
    """Those that no earlier study began; all of them without one."""
    if before is None:
        return examples
    if endless(examples):
        return _Later(examples, before.body["drawn"])
    known = set(before.body["examples"])
    return [example for example in examples if example.key not in known]


def warm_duel(
    state: DuelState, ids: Sequence[str], before: Carried | None
) -> Mapping[str, Any] | None:
    """Let a new duel go on from what came before, if anything did; what a verdict says of it."""
    if before is None:
        return None
    with _fitting(before):
        load_duel(state, before.arrays(), before.place(ids))
    return before.told(ids)


def warm_race(race: Race, ids: Sequence[str], before: Carried | None) -> Mapping[str, Any] | None:
    """Let a new race go on from what came before, if anything did; what a verdict says of it."""
    if before is None:
        return None
    with _fitting(before):
        load_race(race, before.arrays(), before.place(ids))
    return before.told(ids)


@contextmanager
def _fitting(before: Carried) -> Iterator[None]:
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise StorageError(
            f"what the study {before.study!r} left for a warm start cannot be read: {error}"
        ) from None


def with_warm_start(
    rule: Strategy, before: Carried | None, candidates: Sequence[Candidate], task: Task
) -> Strategy:
    """The same strategy, going on from what came before; raises InputError where it cannot."""
    if before is None:
        return rule
    known: Any = rule
    if complaint := _complaint(known, before, candidates, task):
        raise InputError(f"warm start from {before.study!r}: {complaint}")
    found: Strategy = replace(known, warm=before)
    return found


def _complaint(rule: Any, before: Carried, candidates: Sequence[Candidate], task: Task) -> str:
    options: Any = getattr(rule, "options", rule)
    if not hasattr(rule, "warm"):
        return f"strategy {rule.name!r} takes none; use 'race' or 'duel'"
    if getattr(options, "stopper", betting_stop) is not betting_stop:
        return f"strategy {rule.name!r} takes none; use 'duel'"
    if before.kind != rule.name:
        return f"it was a {before.kind}, and a {rule.name} cannot go on from it"
    if rule.baseline is not None or options.indifference:
        return "a study with a baseline or an indifference has further claims, which start anew"
    if getattr(options, "assume", "condorcet") != "condorcet":
        return "assume: nothing has a claim for each pair, and these start anew"
    if task.population == "whole":
        return "the past of a whole population is tied to its own candidates"
    if not (before.place([c.id for c in candidates]) >= 0).any():
        return "none of its candidates is here"
    examples = task.splits[rule.split]
    if before.body["examples" if endless(examples) else "drawn"]:
        return "examples drawn without end and a list of examples cannot be told apart; use one"
    if not unseen(examples, before):
        return "no example is left that it did not use; add some"
    return ""
