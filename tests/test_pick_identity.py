"""What makes a study another study, and arguments that cannot be meant."""

import functools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import optimand
from optimand.core.errors import InputError
from optimand.picking import study_name
from optimand.statistics.duel import DuelOptions
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.race import ScoreRace


def score(value, example, seed, *, good=None):
    return float(value == (good or example.input["best"]))


def inputs(best):
    return [{"input": {"best": best, "n": i}} for i in range(40)]


def task(examples=None, function=score, **options):
    return optimand.FunctionTask(function, examples, **options)


def name(*, subject=None, **options):
    return study_name(["a", "b"], subject or task(inputs("a")), **options)


def test_another_function_is_another_study():
    store, found = MemoryStore(), []
    for good in ("a", "b"):
        subject = task(function=functools.partial(score, good=good))
        found.append(optimand.pick(["a", "b"], subject, store=store))
    assert [result.best.name for result in found] == ["a", "b"]
    assert len(store.studies()) == 2


def test_other_examples_are_another_study():
    base = inputs("a")
    rows = [
        base,
        inputs("b"),
        base[:-1],
        base[::-1],
        [{**row, "target": 1} for row in base],
        [{**row, "id": str(i)} for i, row in enumerate(base)],
        [{**row, "tags": ["x"]} for row in base],
    ]
    assert len({name(subject=task(row)) for row in rows}) == len(rows)
    assert name(subject=task(base)) == name(subject=task(inputs("a")))
    assert name(subject=task()) == name(subject=task())


def test_other_options_of_the_strategy_are_another_study():
    features = [np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])]
    rules = [
        None,
        ScoreRace(0.05, 0.2),
        ScoreRace(0.05, 0.4),
        Duel(),
        Duel(DuelOptions(check=None)),
        Duel(DuelOptions(assume="nothing")),
        Duel(DuelOptions(sampler=lambda state, rng: state.choose(rng))),
        *(Duel(DuelOptions(space="linear", features=table)) for table in features),
    ]
    names = [name(strategy=rule) for rule in rules]
    assert len(set(names)) == len(names)
    assert names[0] == name(strategy=ScoreRace(1 - 0.95))
    again = Duel(DuelOptions(space="linear", features=np.eye(2)))
    assert names[-2] == name(strategy=again)


class Mine:
    name, ordered = "mine", True

    def __init__(self, told):
        self.told = told

    def __call__(self, run):
        raise AssertionError("not run here")


class Speaking(Mine):
    def fingerprint(self):
        return self.told


@dataclass
class Mutable:
    limit: int
    seen: list = field(default_factory=list, compare=False)
    name: str = "mutable"
    ordered: bool = True
    __call__ = Mine.__call__


def test_strategies_of_the_users_own():
    assert name(strategy=Mine(1)) == name(strategy=Mine(2))
    assert name(strategy=Speaking("1")) != name(strategy=Speaking("2"))
    assert name(strategy=Mutable(1)) != name(strategy=Mutable(2))
    assert name(strategy=Mutable(1, [3])) == name(strategy=Mutable(1))


@pytest.mark.parametrize(
    "options",
    [
        *({"seed": seed} for seed in (None, -1, 1.5, "a", True, math.nan, np.int64(1))),
        *({"confidence": c} for c in (0, 1, math.nan, "0.9", None, 1e-17, True)),
        {"strategy": 5},
        *({"budget": b} for b in (5, {"rollouts": 5})),
        {"store": 5},
    ],
    ids=repr,
)
def test_arguments_that_cannot_be_meant(options):
    def never(value, example, seed):
        raise AssertionError("something was spent")

    with pytest.raises(InputError, match=f"{next(iter(options))} is "):
        optimand.pick(["a", "b"], task(function=never), **options)


@pytest.mark.parametrize("width", [0, -1, 2.5, "8", None, True, 10**9])
def test_a_width_that_cannot_be_meant(width):
    with pytest.raises(InputError, match="task 'function': width is"):
        optimand.pick(["a", "b"], task(width=width))


def test_candidates_and_tasks_that_cannot_be_meant():
    with pytest.raises(InputError, match="candidates are None"):
        optimand.pick(None, task())
    with pytest.raises(InputError, match="task is None"):
        optimand.pick(["a", "b"], None)
    with pytest.raises(InputError, match="a value of type ndarray cannot be stored"):
        optimand.pick([np.array([1, 2]), np.array([1, 3])], task())


def test_a_candidate_that_cannot_be_shown_is_named_by_its_type():
    class Rude:
        def __repr__(self):
            raise ValueError

    with pytest.raises(InputError, match="candidate 'a Rude': "):
        optimand.pick([Rude(), 1], task())
