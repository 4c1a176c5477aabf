"""How full the slots are kept, on a simulated clock, and that timing decides nothing."""

import pytest
from benchmarks.engine_stub import Count, Latencies, Stub, StubJudge, candidates
from tests.core.virtual import run_virtually

from optimand.core.budget import Budget
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.loop import drive
from optimand.core.run import Run
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.specs import strategy_from


def simulated(kind, width, steps, latencies, count=5):
    """Run a strategy on coins; the verdict and the time it took."""
    judge = StubJudge(latencies) if kind == "duel" else None
    task = Stub(width, None if judge else latencies, judge)
    entries = candidates(count)
    strategy = (
        Count(steps, ordered=False)
        if kind == "unordered"
        else strategy_from(None, [c.name for c in entries], pairs=kind == "duel", delta=1e-9)
    )

    async def work():
        log = Log(MemoryStore().write("study", {}), gather=True)
        budget = Budget(rollouts=steps, comparisons=steps)
        return await drive(Run(task, entries, log, Ledger(budget)), strategy)

    return run_virtually(work())


def most_at_once(spans):
    changes = sorted([(began, 1) for began, _ in spans] + [(end, -1) for _, end in spans])
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


@pytest.mark.parametrize("kind", ["race", "duel", "unordered"])
def test_nine_tenths_of_the_slots_are_busy(kind):
    latencies = Latencies(1.0, sigma=0.5)
    simulated(kind, 64, 2800, latencies)
    assert most_at_once(latencies.spans) == 64
    # At first, an ordered strategy may not look far ahead.
    assert latencies.busy(64, skip=1700) > 0.9


@pytest.mark.parametrize("kind", ["race", "duel"])
@pytest.mark.parametrize("width", [2, 8])
def test_timing_decides_nothing(kind, width):
    found = {}
    for sigma in (0.0, 0.5, 2.0):
        latencies = Latencies(1.0, sigma)
        found[sigma], took = simulated(kind, width, 300, latencies, count=3)
        assert took == pytest.approx(max(end for _, end in latencies.spans))
        assert most_at_once(latencies.spans) <= width
        assert len(latencies.spans) == 300
    assert found[0.0] == found[0.5] == found[2.0]


def test_one_at_a_time_is_one_at_a_time():
    latencies = Latencies(1.0)
    simulated("race", 1, 40, latencies)
    assert most_at_once(latencies.spans) == 1
    assert latencies.busy(1) == pytest.approx(1.0)
