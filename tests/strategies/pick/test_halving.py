"""Sequential halving as a strategy: a guess at a fixed number of rollouts."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import optimand
from optimand.core.errors import InputError
from optimand.statistics.halving import rounds
from optimand.strategies.pick.halving import ScoreHalving

ROWS = [{"id": f"e{i}", "input": i} for i in range(200)]


def coins(rates: dict[str, float], salt: int = 0) -> optimand.FunctionTask:
    """Each candidate passes each example with its rate, by a coin of its own."""

    def run(value: str, example: object, seed: int) -> float:
        coin = random.Random(f"{salt} {value} {example.id}")  # type: ignore[attr-defined]
        return float(coin.random() < rates[value])

    return optimand.FunctionTask(run, ROWS, name=f"coins-{salt}")


@pytest.mark.parametrize(
    ("arms", "budget", "examples"),
    list(itertools.product((2, 3, 5, 16), (16, 17, 100, 801), (None, 20))),
)
def test_rounds_pay_for_no_more_and_leave_nothing_that_would_pay(
    arms: int, budget: int, examples: int | None
) -> None:
    plan = rounds(arms, budget, examples)
    cost = sum(left * count for left, count in plan)
    seen = sum(count for _, count in plan)
    assert cost <= budget
    assert seen <= (examples or budget)
    assert plan[0][0] == arms
    assert plan[0][1] >= 1
    assert all(2 * later >= earlier for (earlier, _), (later, _) in itertools.pairwise(plan))
    if seen < (examples or budget):
        assert budget - cost < plan[-1][0]


def test_the_guess_uses_what_it_was_given_and_says_how_sure_it_is() -> None:
    rates = {"a": 0.3, "b": 0.5, "c": 0.9, "d": 0.2}
    found = optimand.pick(list(rates), coins(rates), strategy=ScoreHalving(120))
    assert found.reason == "fixed budget"
    assert 118 <= found.verdict.used <= 120
    assert found.best is not None
    assert found.best.name == "c"
    assert str(found).startswith("Best guess after")
    assert 0.0 <= found.confidence < 0.95
    assert not found.decided


def test_a_guess_is_decided_where_the_evidence_suffices_all_the_same() -> None:
    rates = {"a": 0.0, "b": 1.0}
    found = optimand.pick(list(rates), coins(rates), strategy={"type": "halving", "rollouts": 80})
    assert found.decided
    assert found.confidence >= 0.95
    assert "is best" in str(found)


def test_it_finds_the_best_more_often_than_a_race_cut_off_at_the_same_number() -> None:
    rates = {f"c{i}": rate for i, rate in enumerate([0.5] * 7 + [0.65, 0.7] + [0.5] * 7)}
    right = {"halving": 0, "race": 0}
    for salt in range(60):
        task = coins(rates, salt)
        guess = optimand.pick(list(rates), task, strategy={"type": "halving", "rollouts": 400})
        cut = optimand.pick(list(rates), task, budget=optimand.Budget(rollouts=400))
        right["halving"] += guess.best is not None and guess.best.name == "c8"
        right["race"] += cut.best is not None and cut.best.name == "c8"
    assert right["halving"] >= right["race"]
    assert right["halving"] >= 30


def test_a_confidence_of_a_guess_is_no_more_than_it_may_be() -> None:
    """One that is not best is guessed at confidence c or more in at most 1 - c of the runs."""
    rates = {"a": 0.52, "b": 0.5, "c": 0.5}
    found = [
        optimand.pick(list(rates), coins(rates, salt), strategy=ScoreHalving(90))
        for salt in range(300)
    ]
    wrong = np.array([one.best is None or one.best.name != "a" for one in found])
    sure = np.array([one.confidence for one in found])
    assert wrong.mean() > 0.3  # so that there is something to be wrong about
    for level in (0.5, 0.8, 0.9, 0.95):
        share = (wrong & (sure >= level)).mean()
        assert share <= 1 - level + 2 * (level * (1 - level) / len(found)) ** 0.5


@pytest.mark.parametrize("rollouts", [None, 2, 1.5, "10", True])
def test_a_number_that_cannot_be_meant_is_refused(rollouts: object) -> None:
    rates = {"a": 0.5, "b": 0.5, "c": 0.5}
    with pytest.raises(InputError, match="whole number, 3 or more"):
        optimand.pick(list(rates), coins(rates), strategy={"type": "halving", "rollouts": rollouts})


def test_a_limit_reached_before_ends_it_as_a_budget() -> None:
    rates = {"a": 0.5, "b": 0.6}
    found = optimand.pick(
        list(rates),
        coins(rates),
        strategy=ScoreHalving(100),
        budget=optimand.Budget(rollouts=50),
    )
    assert found.reason == "budget"
    assert found.verdict.used == 50


def test_it_does_not_fit_pairs() -> None:
    task = optimand.DuelTask(lambda a, b, example, seed: 1.0, examples=ROWS)
    with pytest.raises(InputError, match="'duel' or 'llm-po'"):
        optimand.pick(["a", "b"], task, strategy={"type": "halving", "rollouts": 50})
