"""The conformance suite finds stores that break their contract."""

import pytest

from optimand.core.store import Event
from optimand.storage.memory import MemoryStore
from optimand.testing import check_store


def test_a_sound_store_passes():
    store = MemoryStore()
    check_store(lambda: store)


class Wrapped:
    """A journal with one method replaced."""

    def __init__(self, journal, **methods):
        self._journal, self._methods = journal, methods

    def __getattr__(self, name):
        return self._methods.get(name) or getattr(self._journal, name)


def broken(fault):
    class Broken(MemoryStore):
        def write(self, study, settings):
            return fault(super().write(study, settings))

    return Broken()


def no_order(journal):
    return Wrapped(journal, append=lambda events: journal.append(list(reversed(events))))


def one_by_one(journal):
    def append(events):
        for event in events:
            journal.append([event])

    return Wrapped(journal, append=append)


def last_key_wins(journal):
    def append(events):
        journal.append(events)
        for event in events:
            if event.key:
                journal._study.by_key[event.key] = event

    return Wrapped(journal, append=append)


def no_lock(journal):
    journal._study.busy = False
    return journal


def keeps_text_only(journal):
    def append(events):
        journal.append(
            [Event(e.kind, {k: str(v) for k, v in e.body.items()}, e.key, e.at) for e in events]
        )

    return Wrapped(journal, append=append)


@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        (no_order, "every event, in order"),
        (one_by_one, "nothing of a failed append"),
        (last_key_wins, "find returns the first"),
        (no_lock, "a second writer must raise StudyBusy"),
        (keeps_text_only, "every event, in order"),
    ],
)
def test_a_broken_store_is_found(fault, clause):
    store = broken(fault)
    with pytest.raises(AssertionError, match=clause):
        check_store(lambda: store)
