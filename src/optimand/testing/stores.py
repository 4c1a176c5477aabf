"""Conformance of stores: every clause of the contracts of Store and Journal."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from optimand.core.codec import pack, unpack
from optimand.core.errors import InputError, StorageError, StudyBusy
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record, Usage
from optimand.core.store import Event, Journal, Store
from optimand.testing.clauses import expect, expect_raises

__all__ = ["STORE_CLAUSES", "check_store"]

MakeStore = Callable[[], Store]


def check_store(make_store: MakeStore) -> None:
    """Check every clause; raises AssertionError that names what is broken.

    Each call of `make_store` must open the same place anew; the place holds no studies at first.
    For one test per clause, parametrize over STORE_CLAUSES and give each a place of its own.
    """
    for clause in STORE_CLAUSES:
        clause(make_store)


# Kinds that optimand itself does not write: what a store makes sure of in its own is its affair.
def _event(number: int, kind: str = "one kind") -> Event:
    return Event(kind, {"n": number}, f"key {number}", number / 8)


def _numbers(journal: Journal, *kinds: str) -> list[Any]:
    return [event.body["n"] for event in journal.events(kinds or None)]


def studies_are_listed(make_store: MakeStore) -> None:
    """Oldest first, with the settings they were made with, which do not change later."""
    store = make_store()
    before = [info.name for info in store.studies()]
    store.write("listed b", {"seed": 1, "deep": {"x": [1.5, None, "ä"]}}).close()
    journal = store.write("listed a", {})
    journal.append([_event(1), _event(2)])
    journal.close()
    store.write("listed b", {"seed": 2}).close()
    infos = store.studies()
    expect([i.name for i in infos] == [*before, "listed b", "listed a"], "oldest study first")
    made, empty = infos[-2], infos[-1]
    expect(made.settings == {"seed": 1, "deep": {"x": [1.5, None, "ä"]}}, "settings as first given")
    expect(made.events == 0 and empty.events == 2, "the number of events of each study")
    expect(made.created[:2] == "20" and made.created.endswith("+00:00"), "created: ISO, in UTC")
    store.close()


def events_come_back_in_order(make_store: MakeStore) -> None:
    """More than any page holds, numbered upwards, filtered by kind, also after reopening."""
    store = make_store()
    journal = store.write("order", {})
    for start in range(0, 1200, 300):
        journal.append(
            [_event(n, "other" if n % 3 else "one kind") for n in range(start, start + 300)]
        )
    journal.append([])
    journal.close()
    store.close()
    again = make_store()
    reader = again.read("order")
    events = list(reader.events())
    expect([e.body["n"] for e in events] == list(range(1200)), "every event, in order")
    expect(all(a.seq < b.seq for a, b in pairwise(events)), "seq goes up")
    expect(events[0].seq >= 1, "seq starts at 1 or later")
    expect([e.at for e in events] == [n / 8 for n in range(1200)], "the time of each event")
    expect(_numbers(reader, "one kind") == list(range(0, 1200, 3)), "events of one kind")
    expect(_numbers(reader, "other", "one kind") == list(range(1200)), "events of two kinds")
    expect(not list(reader.events(())), "no kinds, no events")
    reader.close()
    again.close()


def bodies_come_back_as_they_were(make_store: MakeStore) -> None:
    """Any text, long or strange, numbers, nesting."""
    body = {
        "text": "ä漢\x00\n\"'\\%s {} $payload \ud800",
        "long": "x\x00é" * 5000,
        "nested": {"a": [1, 2.5, None, True, {"b": "y" * 3000}], "$payload": "not a hash"},
        "marked": {"$payload": "0123"},
        "small": 5e-324,
        "large": 2**60,
        "infinite": math.inf,
        "": "",
    }
    store = make_store()
    journal = store.write("bodies", {})
    journal.append([Event("text", body, "k"), Event("reply", body, "again"), Event("other", {})])
    stored = [*journal.events()]
    expect(stored[0].body == body == stored[1].body, "a body comes back equal")
    found = journal.find("k")
    expect(found is not None and found.body == body, "also through find")
    expect(stored[2].body == {} and stored[2].key == "", "an empty body and no key")
    journal.close()
    store.close()


def a_key_is_written_once(make_store: MakeStore) -> None:
    """The first event with a key stands; events without a key are never the same."""
    store = make_store()
    journal, other = store.write("keys", {}), store.write("keys elsewhere", {})
    journal.append([Event("x", {"n": 1}, "k"), Event("x", {"n": 2}, "k"), Event("x", {"n": 3})])
    journal.append([Event("x", {"n": 4}, "k"), Event("x", {"n": 5})])
    found = journal.find("k")
    expect(found is not None and found.body == {"n": 1}, "find returns the first")
    expect(_numbers(journal) == [1, 3, 5], "later events with the same key are dropped")
    expect(journal.keys() == {"k"}, "keys are those that are set")
    expect(journal.find("none") is None and other.find("k") is None, "a key belongs to its study")
    expect(other.keys() == set() and _numbers(other) == [], "studies are apart")
    journal.close()
    other.close()
    store.close()


def appending_is_all_or_nothing(make_store: MakeStore) -> None:
    """An event that cannot be stored keeps out those given with it."""
    store = make_store()
    journal = store.write("atomic", {})
    with expect_raises(InputError, "a value that JSON cannot hold"):
        journal.append([_event(1), Event("x", {"n": object()})])
    expect(_numbers(journal) == [], "nothing of a failed append is stored")
    journal.append([_event(2)])
    expect(_numbers(journal) == [2], "the journal can be used after a failed append")
    journal.close()
    store.close()


def there_is_one_writer(make_store: MakeStore) -> None:
    """The second is refused and told how to read; another study is free."""
    store, second = make_store(), make_store()
    journal = store.write("one writer", {})
    with expect_raises(StudyBusy, "a second writer", "one writer", "read"):
        second.write("one writer", {})
    second.write("another", {}).close()
    journal.append([_event(1)])
    journal.close()
    journal.close()
    after = second.write("one writer", {})
    expect(_numbers(after) == [1], "the next writer finds what the first wrote")
    after.close()
    store.close()
    second.close()


def readers_see_what_is_committed(make_store: MakeStore) -> None:
    """While it is written, without touching the writer; they cannot write themselves."""
    store, other = make_store(), make_store()
    journal = store.write("read", {})
    journal.append([_event(n) for n in range(600)])
    reader, half_way = other.read("read"), other.read("read")
    looking = half_way.events()
    next(looking)
    journal.append([_event(600)])
    expect(_numbers(reader)[-1] == 600, "a reader sees a commit at once")
    expect(reader.find("key 600") is not None, "also through find")
    expect([e.body["n"] for e in looking][:599] == list(range(1, 600)), "reading on while written")
    with expect_raises(StorageError, "writing through a reader"):
        reader.append([_event(-1)])
    reader.close()
    half_way.close()
    with expect_raises(StudyBusy, "a second writer after a reader was closed"):
        other.write("read", {})
    journal.append([_event(601)])
    expect(_numbers(journal)[-1] == 601, "the writer is not disturbed by readers")
    journal.close()
    store.close()
    other.close()


def a_missing_study_is_an_error(make_store: MakeStore) -> None:
    """It names the study and those that are there."""
    store = make_store()
    store.write("present", {}).close()
    with expect_raises(StorageError, "reading a missing study", "absent", "present"):
        store.read("absent")
    expect("absent" not in [i.name for i in store.studies()], "reading does not make a study")
    store.close()


def a_study_may_have_any_name(make_store: MakeStore) -> None:
    """Any text; what no text may hold is refused in words, and makes nothing."""
    store = make_store()
    names = ["a name / with ' \" \\ \n;--", "日本 \U0001f600", "%s {} ?#%", "x" * 2000, " "]
    for name in names:
        store.write(name, {}).close()
    expect([info.name for info in store.studies()][-len(names) :] == names, "names as given")
    for name in ("half \ud800 of a pair", "NUL \0", ""):
        for reach in (lambda n: store.write(n, {}), store.read, store.desk):
            with expect_raises(InputError, f"the name {name!r}", "name"):
                reach(name)
    expect([info.name for info in store.studies()][-len(names) :] == names, "nothing was made")
    store.close()


def calls_come_back_equal(make_store: MakeStore) -> None:
    """What a run logs of its calls, at the limits of what it may hold."""
    costs = Usage(1, 2**40, 0, 0.1 + 0.2, 1, 2**30)
    calls: dict[str, Any] = {
        "rollout": Record("a", "é\ud800", 7, 1.0, {"x": [None, 5e-324]}, "said", usage=costs),
        "comparison": Comparison("a", "b", "e", 2, 0.5, details={"x": 1}, seconds=1e9),
        "score": Judgement(None, status="invalid", usage=costs),
        "ask": Reply("text" * 2000, {"choice": True}, costs, 0.5, finish="length"),
    }
    store = make_store()
    journal = store.write("calls", {})
    journal.append([Event(kind, pack(value), kind) for kind, value in calls.items()])
    bodies = {event.kind: event.body for event in journal.events()}
    for kind, value in calls.items():
        expect(unpack(type(value), bodies[kind]) == value, f"a logged {kind} comes back equal")
    journal.close()
    store.close()


def a_journal_works_from_a_thread(make_store: MakeStore) -> None:
    """Group commits run on threads where `immediate` is false."""
    store = make_store()
    journal = store.write("threads", {})
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: journal.append([_event(n)]), range(40)))
    expect(sorted(_numbers(journal)) == list(range(40)), "every append from every thread")
    expect(isinstance(journal.immediate, bool) and journal.name == "threads", "name, immediate")
    journal.close()
    store.close()


def questions_wait_for_answers(make_store: MakeStore) -> None:
    """The desk of a human judge: questions are put by the run and answered from elsewhere."""
    store, other = make_store(), make_store()
    journal = store.write("desk", {})
    run, people = store.desk("desk"), other.desk("desk")
    run.ask({"first": "x"}, "q1")
    run.ask({"first": "y"}, "q2")
    run.ask({"first": "changed"}, "q1")
    expect(run.questions() == [("q1", {"first": "x"}), ("q2", {"first": "y"})], "asked once")
    expect(people.questions() == run.questions(), "questions are seen from elsewhere")
    expect(run.answer("q1") is None and run.answer("none") is None, "no answer yet")
    people.give("q1", {"choice": "first"})
    people.give("q1", {"choice": "second"})
    expect(run.answer("q1") == {"choice": "first"}, "the first answer stands")
    expect([key for key, _ in run.questions()] == ["q2"], "an answered question is closed")
    people.close()
    run.close()
    journal.close()
    store.close()
    other.close()


STORE_CLAUSES: tuple[Callable[[MakeStore], None], ...] = (
    studies_are_listed,
    events_come_back_in_order,
    bodies_come_back_as_they_were,
    a_key_is_written_once,
    appending_is_all_or_nothing,
    there_is_one_writer,
    readers_see_what_is_committed,
    a_missing_study_is_an_error,
    a_study_may_have_any_name,
    calls_come_back_equal,
    a_journal_works_from_a_thread,
    questions_wait_for_answers,
)
