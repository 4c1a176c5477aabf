"""Both pick strategies keep the contract of strategies; and broken ones are found."""

import asyncio
import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
from benchmarks.engine_stub import Count, Stub, StubJudge, candidates

from optimand.core.action import Rollout
from optimand.core.errors import Stopped
from optimand.core.record import Judgement
from optimand.core.verdict import Standing, Verdict
from optimand.strategies.pick.specs import strategy_from
from optimand.testing.strategies import STRATEGY_CLAUSES, Trial, check_strategy


class Slow(Stub):
    """Calls end in an order of their own."""

    async def execute(self, candidate, example, seed):
        for _ in range(seed % 7):
            await asyncio.sleep(0)
        return await super().execute(candidate, example, seed)


class SlowJudge(StubJudge):
    async def compare(self, example, a, b, seed):
        for _ in range(seed % 7):
            await asyncio.sleep(0)
        return Judgement(0.5 if seed % 5 == 0 else float(seed % 2))


STRATEGIES = {
    "race": (None, False),
    "duel": (None, True),
    "llm-po": ("llm-po", True),
}


@pytest.mark.parametrize("clause", STRATEGY_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("name", STRATEGIES)
def test_strategy(name, width, clause):
    given, pairs = STRATEGIES[name]
    entries = candidates(3)
    task = Slow(width, judge=SlowJudge() if pairs else None)
    strategy = strategy_from(given, [c.name for c in entries], pairs=pairs, delta=0.05)
    clause(Trial(strategy, task, entries, limit=40))


@dataclass
class Mean:
    """The best mean after 20 rounds, taken as they finish; wrong in ways that the test asks for."""

    fault: str = ""
    ordered: bool = False
    name: str = "mean"
    kept: list = field(default_factory=list)

    def __call__(self, run):
        sums = dict.fromkeys((c.id for c in run.candidates), 0.0)
        known = self.kept if self.fault == "keeps state" else []
        rng = np.random.default_rng(None if self.fault == "own randomness" else run.seed)
        started, used = 0, 0
        try:
            while used < 20:
                action = None
                if started < 20:
                    at = int(rng.integers(1000)) if self.fault else started
                    action = Rollout(run.candidates, (run.task.splits["all"][at + len(known)],))
                    started += 1
                outcome = yield action
                if outcome is not None:
                    used += 1
                    known += [used] if self.fault == "keeps state" else []
                    for r in outcome.records:
                        sums[r.candidate] += r.score or 0.0
            return self.verdict(sums, used, "exhausted")
        except Stopped as stop:
            if self.fault == "goes on when stopped":
                yield None
            return self.verdict(sums, used, stop.reason)

    def verdict(self, sums, used, reason):
        best = max(sums, key=sums.get)
        rows = tuple(Standing(i, 1, s, 0, 1, used, 0, True) for i, s in sums.items())
        if self.fault == "leaves one out":
            rows = rows[1:]
        decided = self.fault == "decides by failures" and used > 0
        return Verdict(decided, best, reason, standings=rows, unit="rollouts", used=used)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_sound_strategy_passes_whatever_its_order(width, ordered):
    check_strategy(Mean(ordered=ordered), Slow(width), candidates(2))


@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        ("keeps state", "same seed gives the same"),
        ("own randomness", "same seed gives the same"),
        ("goes on when stopped", "must end|Verdict|standing"),
        ("leaves one out", "every candidate has a standing"),
        ("decides by failures", "decided by calls that failed"),
    ],
)
def test_a_broken_strategy_is_found(fault, clause):
    with pytest.raises(AssertionError, match=clause):
        check_strategy(Mean(fault), Slow(1), candidates(2))


def test_count_is_no_pick_strategy():
    with pytest.raises(AssertionError, match="every candidate has a standing"):
        check_strategy(Count(10), Stub(1), candidates(2))


def test_a_repeated_call_is_found():
    class Forgetful(Slow):
        """Its fingerprint changes, so that no call is found in the log."""

        turn = itertools.count()

        def fingerprint(self):
            return str(next(self.turn))

    with pytest.raises(AssertionError, match="the contract is broken"):
        check_strategy(Mean(), Forgetful(1), candidates(2))
