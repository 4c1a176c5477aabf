import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.report.text import clip, one_line, shown, visible


def hidden(character):
    """Control, format, surrogate or private by Unicode, but for what scripts and emoji need."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in "\n\t‌‍"


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\x00b", "a␀b"),
        ("\u202egnp", "⟨U+202E⟩gnp"),
        ("x\u200by", "x⟨U+200B⟩y"),
        ("\ud800", "⟨U+D800⟩"),
        ("\x7f\x9b", "⟨U+007F⟩⟨U+009B⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("naïve 日本語 שלום 👩‍🔬", "naïve 日本語 שלום 👩‍🔬"),
    ],
)
def test_hidden_characters_are_written_out(raw, seen):
    assert visible(raw) == seen


@given(st.text(st.characters(codec=None)))
def test_visible_is_idempotent_and_leaves_no_control_or_bidirectional_mark(text):
    once = visible(text)
    assert visible(once) == once
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in once)
    assert not set(once) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    once.encode()


@given(st.text(), st.integers(0, 20))
def test_clip_counts_what_it_leaves_out(text, limit):
    kept, more = clip(text, limit)
    assert text.startswith(kept)
    assert len(kept) + more == len(text)


def test_values_are_shown_as_text():
    assert shown({"a": [1, "é"]}) == ('{"a": [1, "é"]}', 0)
    assert shown(None) == ("", 0)
    assert shown("x" * 50, 10) == ("x" * 10, 40)


def test_one_line():
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"
