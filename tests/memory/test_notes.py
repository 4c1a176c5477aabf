"""Notes merge by name, keep every remedy, and are capped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from optimand.memory.notes import Notes


def test_what_recurs_outranks_one_offs() -> None:
    notes = Notes()
    notes.add("one off", ["a"], text="x")
    notes.add("Missing  units", ["b"], text="no units", part="SKILL.md")
    notes.add("missing units", ["c", "b"], remedy="ask for units")
    first = notes.ranked()[0]
    assert (first.name, first.seen, first.text) == ("Missing units", ("b", "c"), "no units")
    assert first.remedies == ("ask for units",)
    assert notes.get(" MISSING units") == first
    assert len(notes) == 2


def test_an_empty_name_is_no_entry() -> None:
    notes = Notes()
    notes.add("  ", ["a"], remedy="x")
    assert len(notes) == 0
    assert not notes.log


names = st.sampled_from([f"p{i}" for i in range(8)])


@given(st.lists(st.tuples(names, st.sampled_from("abc"), st.sampled_from(["", "r1", "r2"]))))
def test_the_log_never_shrinks_and_the_cap_holds(
    added: list[tuple[str, str, str]],
) -> None:
    notes, before, log = Notes(3), {}, []  # type: ignore[var-annotated]
    for name, example, remedy in added:
        notes.add(name, [example], remedy=remedy)
        assert len(notes) <= 3
        assert notes.get(name) is not None
        assert notes.log[: len(log)] == log
        log = list(notes.log)
        for entry in notes:
            old = before.get(entry.name, ())
            assert entry.remedies[: len(old)] == old
        before = {entry.name: entry.remedies for entry in notes}
    assert len(log) == sum(bool(remedy) for _, _, remedy in added)
