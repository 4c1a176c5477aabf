"""The controller's rules, packages, preferences and accounts."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from optimand.core.artifact import Artifact, Candidate
from optimand.memory.archive import Memory
from optimand.operators.named import OPERATORS
from optimand.strategies.opticom.accounting import account
from optimand.strategies.opticom.package import VERIFY, Package, package_from, schema
from optimand.strategies.opticom.preferences import (
    Preferences,
    adapt,
    invention_from,
    stuck,
)
from optimand.strategies.opticom.rules import by_rules
from optimand.strategies.opticom.state import State, Tally


def state(**changes: object) -> State:
    plain: dict[str, object] = {
        "value": 0.7,
        "failing": 0.0,
        "stalled": 0,
        "errors": ("missing x",),
        "pool": 3,
        "drafts": 0,
        "cold": False,
        "recurring": False,
    }
    return State(**{**plain, **changes})  # type: ignore[arg-type]


def chosen(now: State, **changes: Any) -> set[tuple[str, str]]:
    """Operators and depths that the rules choose, over 40 draws."""
    preferences = Preferences(**changes)
    drawn = [by_rules(now, preferences, random.Random(i)) for i in range(40)]
    return {(package.operator, package.depth) for package in drawn}


@pytest.mark.parametrize(
    ("now", "only"),
    [
        (state(failing=1.0, value=0.0), ("repair", "deep")),
        (state(failing=0.2), ("repair", "deep")),
        (state(drafts=2), (VERIFY, "deep")),
        (state(cold=True), ("repair", "standard")),
    ],
)
def test_rules_that_leave_no_choice(now: State, only: tuple[str, str]) -> None:
    assert chosen(now) == {only}


@pytest.mark.parametrize(
    ("stalled", "turn"), [(3, "extrapolate"), (4, "perturb"), (5, "small-change")]
)
def test_a_standing_search_looks_elsewhere(stalled: int, turn: str) -> None:
    now = state(stalled=stalled)
    assert chosen(now, exploration=1.0) == {(turn, "standard")}
    both = chosen(now, exploration=1.0, preferred="combine")
    assert both == {(turn, "standard"), ("combine", "standard")}
    looked = by_rules(now, Preferences(exploration=1.0), random.Random(0))
    assert looked.scope == "diverse"


def test_what_is_nearly_perfect_is_polished() -> None:
    drawn = [by_rules(state(value=0.97), Preferences(), random.Random(i)) for i in range(40)]
    assert sum(package.operator == "small-change" for package in drawn) >= 15


def test_luck_decides_between_operators() -> None:
    good = {"combine": Tally(10, 9, 1.0), **{n: Tally(10, 0) for n in OPERATORS if n != "combine"}}
    calm = Preferences(exploration=0.0)
    drawn = [by_rules(state(tallies=good), calm, random.Random(i)).operator for i in range(50)]
    assert drawn.count("combine") >= 45


def test_an_operator_that_never_helps_loses_its_weight() -> None:
    preferences = Preferences()
    before = dict(preferences.weights)
    tallies = {"perturb": Tally(3, 0), "revise": Tally(3, 2, 0.2)}
    adapt(preferences, state(stalled=3, tallies=tallies))
    assert preferences.weights["perturb"] == pytest.approx(0.1 * before["perturb"])
    assert preferences.weights["revise"] == pytest.approx(1.5 * before["revise"])
    assert (preferences.exploration, preferences.preferred) == (0.8, "revise")
    adapt(preferences, state(stalled=9, tallies={**tallies, "perturb": Tally(5, 0)}))
    assert preferences.weights["perturb"] >= 0.05
    assert preferences.preferred not in tallies


def test_when_preferences_are_rewritten() -> None:
    assert stuck(state(stalled=3), 3)
    assert stuck(state(recurring=True), 3)
    assert not stuck(state(stalled=3), 2)
    assert not stuck(state(stalled=2), 9)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "revise",
        {},
        {"operator": 5},
        {"operator": "revise", "width": "2"},
        {"operator": "revise", "width": True},
        {"operator": "revise", "scope": "all"},
        {"operator": "revise", "depth": ["deep"]},
    ],
)
def test_what_is_no_package(data: object) -> None:
    assert package_from(data) is None


def test_complaints_come_before_anything_is_spent() -> None:
    memory = Memory(Candidate(Artifact({"value": "x"}), "start"))

    def wrong(**changes: object) -> list[str]:
        return Package(**{"operator": "revise", **changes}).complaints(  # type: ignore[arg-type]
            OPERATORS, memory, 0
        )

    assert not wrong()
    assert "no operator" in wrong(operator="rm -rf")[0]
    assert "needs 2 candidates" in wrong(operator="combine")[0]
    assert "width" in wrong(width=9)[0]
    assert "batch" in wrong(batch=0)[0]
    assert "no drafts" in wrong(operator=VERIFY)[0]
    assert set(schema(list(OPERATORS))["required"]) == set(Package("revise").plain())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"name": "revise", "about": "", "instruction": "x" * 30}, "taken"),
        ({"name": "../x", "about": "", "instruction": "x" * 30}, "taken"),
        ({"name": "new-way", "about": "", "instruction": "short"}, "20 to 600"),
        ({"name": "new-way", "about": "", "instruction": "x" * 601}, "20 to 600"),
        ({"name": "new-way", "about": "", "instruction": "give {current} back " * 2}, "speaks"),
        ({"name": "new-way", "about": "", "instruction": 5}, "could not be read"),
        ("new-way", "could not be read"),
    ],
)
def test_inventions_have_limits(data: object, said: str) -> None:
    found = invention_from(data, OPERATORS)
    assert isinstance(found, str)
    assert said in found


def test_an_invention_is_an_operator_until_there_are_three() -> None:
    known = dict(OPERATORS)
    for name in ("one-way", "two-way", "three-way", "four-way"):
        data = {"name": name, "about": "", "instruction": "Say what a good answer looks like."}
        found = invention_from(data, known)
        if isinstance(found, str):
            break
        known[found.name] = found
    assert list(known)[len(OPERATORS) :] == ["one-way", "two-way", "three-way"]


def test_accounts_add_up() -> None:
    steps = [("a", 0.2), ("b", 0.0), ("b", 0.0), ("a", 0.1), ("b", 0.0)]
    found = {
        one.operator: one
        for one in account([{"operator": o, "gain": g, "rollouts": 10.0} for o, g in steps])
    }
    assert found["a"].gain == pytest.approx(0.3)
    assert found["a"].loss == 0.0
    assert found["b"].loss == pytest.approx(3 * 0.1)
    assert found["b"].rollouts == 30.0
    assert account([]) == []


def test_the_difference_of_two_controllers_is_advantage_minus_loss() -> None:
    """The identity behind the accounts, on a random process of 3 states, 2 actions, 3 steps."""
    rng = random.Random(3)
    states, actions, horizon = range(3), range(2), 3

    def chances(size: int) -> list[float]:
        drawn = [rng.random() for _ in range(size)]
        return [d / sum(drawn) for d in drawn]

    move = {(s, a): chances(3) for s in states for a in actions}
    gain = {(s, a): rng.random() for s in states for a in actions}
    policy = {(t, s): chances(2) for t in range(horizon) for s in states}
    reference = {(t, s): chances(2) for t in range(horizon) for s in states}

    def value(rule: dict[tuple[int, int], list[float]], t: int, s: int) -> float:
        return sum(rule[t, s][a] * action(rule, t, s, a) for a in actions) if t < horizon else 0.0

    def action(rule: dict[tuple[int, int], list[float]], t: int, s: int, a: int) -> float:
        return gain[s, a] + sum(move[s, a][z] * value(rule, t + 1, z) for z in states)

    total, here = 0.0, {0: 1.0}
    for t in range(horizon):
        after = dict.fromkeys(states, 0.0)
        for s, chance in here.items():
            q = [action(reference, t, s, a) for a in actions]
            advantage = max(q) - value(reference, t, s)
            loss = max(q) - sum(policy[t, s][a] * q[a] for a in actions)
            total += chance * (advantage - loss)
            for a, z in itertools.product(actions, states):
                after[z] += chance * policy[t, s][a] * move[s, a][z]
        here = after
    assert total == pytest.approx(value(policy, 0, 0) - value(reference, 0, 0))
