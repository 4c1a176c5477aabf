"""A duel that minds what its candidates cost: as given, and as measured from the log."""

import random
from dataclasses import dataclass
from typing import Literal

import pytest
from benchmarks.engine_stub import Stub, candidates

import optimand
from optimand.core.errors import InputError
from optimand.core.record import Judgement, Record, Usage
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.specs import strategy_from

NAMES = ["a", "b"]
STRENGTH = [3.0, 1.6, 0.9, 0.8, 0.7]
FEW = Usage(1, 5)


@dataclass
class Chance:
    """The stronger wins more often; candidate 0 is the strongest."""

    usage: Usage = FEW
    name: str = "chance"
    kind: Literal["pair"] = "pair"
    needs_outputs: bool = True

    def fingerprint(self):
        return "chance"

    def compare(self, example, a, b, seed):
        first, second = STRENGTH[a.output], STRENGTH[b.output]
        won = random.Random(f"{a.output}-{b.output}-{seed}").random() < first / (first + second)
        return Judgement(float(won), usage=self.usage)


class Priced(Stub):
    """Candidate 0 takes 20 times as much, in tokens or in dollars."""

    usages = (Usage(1, 2000, 10), *[Usage(1, 100, 10)] * 4)
    asked = 0

    async def execute(self, candidate, example, seed):
        self.asked += 1
        number = candidate.artifact.parts["n"]
        return Record(candidate.id, example.id, output=number, usage=self.usages[number])


class Dollars(Priced):
    """As many tokens each, but candidate 0 has 20 times the price."""

    usages = (Usage(1, 100, usd=0.02), *[Usage(1, 100, usd=0.001)] * 4)


class Unpriced(Dollars):
    """Somebody's price is not known, so that tokens count."""

    usages = (*Dollars.usages[:4], Usage(1, 100, unpriced=1))


def picked(costs, kind=Priced, judge=None, **options):
    task = kind(options.pop("width", 1), judge=judge or Chance(), name=kind.__name__)
    return optimand.pick(candidates(5), task, strategy=Duel(costs=costs), **options), task


def games(result):
    """How often candidate 0 was compared with those that are neither it nor the second."""
    row = result.verdict.wins["count"][0]
    return sum(row[2:]) / result.verdict.used


def both(costs, kind=Priced, seeds=6, **options):
    """Mean share of these games with `costs`, and without."""
    return [
        sum(games(picked(how, kind, seed=s, **options)[0]) for s in range(seeds)) / seeds
        for how in (costs, "equal")
    ]


@pytest.mark.parametrize("kind", [Priced, Dollars])
def test_measured_costs_spare_the_dear_candidate(kind):
    aware, plain = both("measured", kind)
    assert aware < 0.8 * plain


def test_given_costs_spare_the_dear_candidate():
    prices = {c.name: 20 if i == 0 else 1 for i, c in enumerate(candidates(5))}
    aware, plain = both(prices, Dollars)
    assert aware < 0.8 * plain


def test_a_dear_judge_makes_candidates_alike():
    judge = Chance(Usage(1, 10**7))
    aware, plain = both("measured", judge=judge)
    assert aware == pytest.approx(plain, abs=0.1)


def wins(result):
    return result.verdict.wins


def test_without_known_prices_tokens_count():
    aware, plain = (picked(how, Unpriced, Chance(Usage()))[0] for how in ("measured", "equal"))
    assert wins(aware) == wins(plain)  # as many tokens each


def test_equal_is_the_default_and_equal_prices_change_nothing():
    plain = optimand.pick(candidates(5), Priced(judge=Chance(), name="Priced"), strategy=Duel())
    same = picked(dict.fromkeys([c.name for c in candidates(5)], 7.5))[0]
    assert wins(plain) == wins(picked("equal")[0]) == wins(same)


@pytest.mark.parametrize("width", [1, 4])
def test_a_resumed_duel_measures_the_same_costs(width):
    whole, _ = picked("measured", width=width)
    store = MemoryStore()
    part, _ = picked("measured", width=width, store=store, budget=optimand.Budget(comparisons=40))
    assert not part.decided
    rest, task = picked("measured", width=width, store=store)
    assert wins(rest) == wins(whole)
    assert task.asked < 2 * rest.verdict.used  # the first 40 were not executed again


def make(costs):
    return strategy_from({"type": "duel", "costs": costs}, NAMES, pairs=True, delta=0.05)


def test_costs_of_a_study_file():
    assert make("measured").costs == "measured"
    assert make({"b": 2, "a": 0.5}).costs == {"b": 2, "a": 0.5}
    assert strategy_from("duel", NAMES, pairs=True, delta=0.05).costs == "equal"


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ("cheap", "costs are 'cheap'. Use 'equal', 'measured', or a mapping"),
        (3, "costs are 3. Use 'equal'"),
        ({"a": 1}, "no cost for 'b'"),
        ({"a": 1, "b": 1, "c": 1}, "a cost of 'c', but there is 'a', 'b'."),
        ({"a": 1, "b": 0}, "the cost of 'b' is 0. It must be a finite number, above 0"),
        ({"a": -1, "b": 1}, "the cost of 'a' is -1."),
        ({"a": float("inf"), "b": 1}, "the cost of 'a' is inf."),
        ({"a": "1", "b": 1}, "the cost of 'a' is '1'."),
        ({"a": True, "b": 1}, "the cost of 'a' is True."),
    ],
)
def test_costs_that_cannot_be_meant(costs, message):
    with pytest.raises(InputError) as caught:
        make(costs)
    assert message in str(caught.value)


def test_costs_in_python_are_checked_before_anything_is_spent():
    task = Priced(judge=Chance())
    with pytest.raises(InputError, match="no cost for 'candidate 1'"):
        optimand.pick(candidates(5), task, strategy=Duel(costs={"candidate 0": 1}))
    assert task.asked == 0


def test_llm_po_knows_no_costs():
    with pytest.raises(InputError, match="has no option 'costs'"):
        strategy_from({"type": "llm-po", "costs": "measured"}, NAMES, pairs=True, delta=0.05)
