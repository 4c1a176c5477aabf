"""The log: what is written is committed before anybody sees it, and many writes share a commit."""

import asyncio
import threading

import pytest

from optimand.core.errors import StorageError
from optimand.core.log import Log
from optimand.core.store import Event


class Journal:
    """Notes every commit; `fail` makes the next ones fail."""

    name = "journal"

    def __init__(self, immediate=True):
        self.immediate = immediate
        self.commits, self.fail, self.closed, self.threads = [], False, False, set()

    def append(self, events):
        self.threads.add(threading.current_thread() is threading.main_thread())
        if self.fail:
            raise StorageError("disk is full")
        self.commits.append([event.key for event in events])

    def find(self, key):
        return next((Event("x", {}, k) for c in self.commits for k in c if k == key), None)

    def keys(self):
        return set()

    def events(self, kinds=None):
        return iter(())

    def close(self):
        self.closed = True


def events(*keys):
    return [Event("x", {}, key) for key in keys]


@pytest.mark.parametrize("immediate", [True, False])
def test_writes_of_the_same_turn_share_a_commit(immediate):
    journal = Journal(immediate)

    async def work():
        log = Log(journal, gather=True)
        await asyncio.gather(*(log.write(events(str(n))) for n in range(20)))
        await log.write(events("later"))

    asyncio.run(work())
    assert journal.commits == [[str(n) for n in range(20)], ["later"]]
    assert journal.threads == {immediate}  # a slow store does not hold up the loop


def test_without_gathering_each_write_is_a_commit():
    journal = Journal()

    async def work():
        log = Log(journal)
        await asyncio.gather(*(log.write(events(str(n))) for n in range(3)))

    asyncio.run(work())
    assert journal.commits == [["0"], ["1"], ["2"]]


async def broken_off(log):
    async with log.held():
        await log.write(events("5"), may_wait=True)
        raise KeyError


@pytest.mark.parametrize("gather", [True, False])
def test_what_may_wait_is_found_at_once_and_shares_the_next_commit(gather):
    journal = Journal()

    async def work():
        log = Log(journal, gather=gather)
        await log.write(events("0"), may_wait=True)  # nothing is held
        async with log.held():
            await log.write(events("1"), may_wait=True)
            await log.write(events("2"), may_wait=True)
            assert log.find("1") == (Event("x", {}, "1"), False)
            await log.write(events("dear"))
            await log.write(events("4"), may_wait=True)
        await asyncio.gather(broken_off(log), return_exceptions=True)

    asyncio.run(work())
    assert journal.commits == [["0"], ["1", "2", "dear"], ["4"], ["5"]]


def test_what_waits_and_cannot_be_committed_is_said():
    journal = Journal()

    async def work():
        log = Log(journal)
        async with log.held():
            await log.write(events("1"), may_wait=True)
            journal.fail = True

    with pytest.raises(StorageError):
        asyncio.run(work())
    assert not journal.commits


@pytest.mark.parametrize("immediate", [True, False])
@pytest.mark.parametrize("gather", [True, False])
def test_a_failed_commit_reaches_every_writer_and_is_not_found(immediate, gather):
    journal = Journal(immediate)

    async def work():
        log = Log(journal, gather=gather)
        journal.fail = True
        writes = (log.write(events(str(n))) for n in range(5))
        answers = await asyncio.gather(*writes, return_exceptions=True)
        assert all(isinstance(answer, StorageError) for answer in answers)
        assert log.find("0") is None
        journal.fail = False
        await log.write(events("5"))
        assert log.find("5") is not None

    asyncio.run(work())
    assert journal.commits == [["5"]]


def test_a_failed_commit_without_a_writer_left_makes_no_noise(caplog):
    journal = Journal()

    async def work():
        log = Log(journal, gather=True)
        journal.fail = True
        task = asyncio.ensure_future(log.write(events("0")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0)

    asyncio.run(work())
    assert not caplog.records


def test_closing_commits_what_is_left_and_always_closes():
    for fail in (False, True):
        journal = Journal()

        async def work(journal=journal, fail=fail):
            log = Log(journal, gather=True)
            task = asyncio.ensure_future(log.write(events("0")))
            await asyncio.sleep(0)
            task.cancel()
            journal.fail = fail
            if fail:
                with pytest.raises(StorageError):
                    log.close()
            else:
                log.close()

        asyncio.run(work())
        assert journal.closed
        assert journal.commits == ([] if fail else [["0"]])


def test_a_distant_store_is_replayed_in_pages_not_call_by_call():
    past = events(*map(str, range(50)))

    class Distant(Journal):
        looks = 0

        def keys(self):
            return {event.key for event in past}

        def events(self, kinds=None):
            return iter([e for e in past if kinds is None or e.kind in kinds])

        def find(self, key):
            self.looks += 1
            return next((e for e in past if e.key == key), None)

    journal = Distant(immediate=False)
    log = Log(journal)
    for key in ["3", "0", "49", "1", *map(str, range(4, 49)), "2"]:
        found, fresh = log.find(key)
        assert (found.key, fresh) == (key, True)
    assert journal.looks == 0
    assert log.find("0") == (past[0], False)
    assert log.find("none") is None
    assert journal.looks == 1
