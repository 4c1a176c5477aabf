"""How much an endpoint is asked at once."""

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.faketime import FakeTime

from optimand.llm.limits import Limiter, Pace, shared_limiter


def filled(pace, now=0.0):
    """The calls that start before one has to wait."""
    count = 0
    while not pace.delay(now):
        pace.start(now)
        count += 1
    return count


def test_slow_start_doubles_each_round_up_to_the_width():
    pace, rounds = Pace(width=20), []
    for _ in range(4):
        rounds.append(filled(pace))
        for _ in range(rounds[-1]):
            pace.succeeded()
            pace.end()
    assert rounds == [4, 8, 16, 20]


def test_an_overload_halves_once_for_all_in_flight_then_one_more_a_round():
    pace = Pace(width=16, start=16)
    assert filled(pace) == 16
    for _ in range(16):
        pace.overloaded(now=5.0, started=0.0)
        pace.end()
    assert filled(pace, 6.0) == 8
    for _ in range(9):
        pace.succeeded()
    assert 9.0 <= pace.limit < 9.2  # additive now, not doubling
    pace.overloaded(now=7.0, started=6.0)
    assert pace.limit == pytest.approx(4.5, abs=0.1)


def test_nothing_starts_while_the_service_asks_to_wait():
    pace = Pace(width=4)
    pace.overloaded(now=10.0, started=9.0, cooldown=30.0)
    assert (pace.delay(10.0), pace.delay(39.0), pace.delay(40.0)) == (30.0, 1.0, 0.0)
    pace.overloaded(now=11.0, started=9.0, cooldown=2.0)
    assert pace.delay(11.0) == 29.0  # a shorter wait does not end a longer one


@given(st.integers(1, 9), st.lists(st.sampled_from(["good", "bad", "none"]), max_size=80))
def test_the_limit_stays_between_one_and_the_width(width, ends):
    pace = Pace(width)
    for second, end in enumerate(ends):
        pace.start(second)
        if end == "good":
            pace.succeeded()
        elif end == "bad":
            pace.overloaded(second, started=second - 0.5)
        pace.end()
        assert 1 <= pace.limit <= width
    assert pace.active == 0


@given(st.integers(1, 5), st.lists(st.floats(0, 40), min_size=1, max_size=60))
def test_starts_per_minute(per_minute, gaps):
    pace, now, starts = Pace(99, per_minute, start=99), 0.0, []
    for gap in gaps:
        now += gap
        if not pace.delay(now):
            pace.start(now)
            starts.append(now)
    for last in starts:
        assert sum(last - 60 < start <= last for start in starts) <= per_minute


def limiter_of(time, **settings):
    return Limiter(Pace(**settings), time.retries())


def test_all_get_their_turn_and_never_too_many():
    time, most = FakeTime(), 0

    async def call(limiter):
        nonlocal most
        await limiter.acquire()
        most = max(most, limiter.pace.active)
        await asyncio.sleep(0)
        limiter.release()

    async def work():
        limiter = limiter_of(time, width=3)
        await asyncio.gather(*(call(limiter) for _ in range(50)))
        return limiter

    limiter = asyncio.run(work())
    assert (most, limiter.pace.active, len(limiter._waiting)) == (3, 0, 0)


def test_a_pause_is_waited_for_or_refused():
    time = FakeTime()

    async def work():
        limiter = limiter_of(time, width=3)
        limiter.overloaded(0.0, cooldown=30.0)
        refused = await limiter.acquire(patience=20.0)
        return refused, await limiter.acquire(patience=40.0)

    assert asyncio.run(work()) == (None, 30.0)
    assert time.slept == [30.0]


@pytest.mark.parametrize("when", ["waiting", "woken", "pausing"])
def test_one_that_gives_up_leaves_its_place_to_the_next(when):
    async def work():
        time = FakeTime()
        limiter = limiter_of(time, width=1)
        await limiter.acquire()
        first = asyncio.ensure_future(limiter.acquire())
        second = asyncio.ensure_future(limiter.acquire())
        await asyncio.sleep(0)
        if when == "pausing":
            limiter._sleep = lambda seconds: asyncio.sleep(math.inf)
            limiter.overloaded(-1.0, cooldown=1.0)
        if when != "waiting":
            limiter.release()
        if when == "pausing":
            for _ in range(3):
                await asyncio.sleep(0)
            limiter._sleep = time.sleep
        first.cancel()
        if when == "waiting":
            await asyncio.sleep(0)
            limiter.release()
        return await asyncio.wait_for(second, 5)

    assert asyncio.run(work()) is not None


def test_clients_of_an_endpoint_share_its_limit():
    async def work():
        first = shared_limiter("http://a", 4, per_minute=90)
        second = shared_limiter("http://a", 8, per_minute=60)
        other = shared_limiter("http://b", 4)
        return first is second, first is other, first.pace.width, first.pace.per_minute

    assert asyncio.run(work()) == (True, False, 8, 60)
