"""Threads that user code may block."""

import asyncio
import inspect
import threading
import time

import pytest

from optimand.core.pool import DaemonPool, close_unbegun, in_pool


def ours():
    return [t for t in threading.enumerate() if t.name.startswith("optimand")]


def end(threads):
    for thread in threads:
        thread.join(10)
    return not any(thread.is_alive() for thread in threads)


def test_results_and_errors_come_back_from_no_more_threads_than_allowed():
    pool = DaemonPool(3)
    barrier = threading.Barrier(3)

    def work(number):
        barrier.wait(10)
        if number == 4:
            raise KeyError(number)
        return number, threading.current_thread().name, threading.current_thread().daemon

    futures = [pool.submit(work, i) for i in range(6)]
    found = [f.result(10) for i, f in enumerate(futures) if i != 4]
    assert [number for number, _, _ in found] == [0, 1, 2, 3, 5]
    assert len({name for _, name, _ in found}) <= 3
    assert all(daemon for _, _, daemon in found)
    with pytest.raises(KeyError):
        futures[4].result()
    threads = ours()
    pool.shutdown(wait=False)
    assert end(threads)
    with pytest.raises(RuntimeError):
        pool.submit(print)


def test_one_after_the_other_needs_one_thread():
    pool, before = DaemonPool(8), set(ours())
    for _ in range(20):
        assert pool.submit(lambda: 1).result(10) == 1
        while pool._idle._value == 0:  # the thread says that it is free after the result is out
            time.sleep(0.0001)
    threads = set(ours()) - before
    pool.shutdown()
    assert len(threads) == 1
    assert end(threads)


def test_what_has_not_begun_is_cancelled():
    pool, hold, begun = DaemonPool(1), threading.Event(), threading.Event()

    def wait():
        begun.set()
        return hold.wait(10)

    first, second = pool.submit(wait), pool.submit(wait)
    begun.wait(10)
    threads = ours()
    pool.shutdown(wait=False, cancel_futures=True)
    assert second.cancelled()
    hold.set()
    assert first.result(10)
    assert end(threads)


def test_coroutines_that_come_too_late_are_closed_with_those_within():
    """A warning of one that was never awaited would be an error here."""
    made = []

    def nested(depth):
        async def outer(inner):
            return await inner

        async def innermost():
            return 1

        made.append(outer(nested(depth - 1)) if depth else innermost())
        return made[-1]

    async def main():
        pool, hold, begun = DaemonPool(1), threading.Event(), threading.Event()

        def late():
            begun.set()
            hold.wait(10)
            return nested(3)

        call = asyncio.ensure_future(in_pool(pool, late))
        while not begun.is_set():
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        threads = ours()
        pool.shutdown()
        hold.set()
        assert end(threads)

    asyncio.run(main())
    states = {inspect.getcoroutinestate(coroutine) for coroutine in made}
    assert (len(made), states) == (4, {inspect.CORO_CLOSED})


def test_a_coroutine_that_has_begun_is_left_alone():
    async def main():
        async def work():
            await asyncio.sleep(0)
            return 7

        coroutine = work()
        task = asyncio.ensure_future(coroutine)
        await asyncio.sleep(0)
        close_unbegun(coroutine)
        close_unbegun(7)
        return await task

    assert asyncio.run(main()) == 7
