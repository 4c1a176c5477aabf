import csv
import io
import re

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.cli.export import RECORD, Form, _cell, _write

FORMULA = re.compile(r"[^\S\n\r]*[=+\-@＝＋－＠]")
TEXTS = [
    "=1+1",
    "a\r=1+1",
    "a\r\n@x",
    "a\n\n -b",
    "  +1",
    "\t=1",
    "\rx",
    "－1",
    "a\u2028=1",
    'say "a", b',
    "a\rb",
    "plain",
    "1.50",
    "",
]


def written(texts):
    rows = ({"output": text, "name": text, "score": 0.5, "repeat": 3} for text in texts)
    file = io.StringIO(newline="")
    assert _write(rows, RECORD, Form.csv, file) == len(texts)
    return file.getvalue()


def without_guards(text):
    return text.replace("'", "")


def test_rows_stay_rows_for_csv_and_for_pandas():
    table = written(TEXTS)
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert [without_guards(row["output"]) for row in rows] == TEXTS
    assert {row["score"] for row in rows} == {"0.5"}
    frame = pandas.read_csv(io.StringIO(table, newline=""), dtype={"output": str, "name": str})
    assert len(frame) == len(TEXTS)
    assert [without_guards(x) for x in frame["output"].fillna("")] == TEXTS
    assert frame["score"].tolist() == [0.5] * len(TEXTS)
    assert frame["repeat"].dtype.kind == "i"


def test_readers_that_break_lines_at_any_return_find_no_row_of_ours_that_is_a_formula():
    # Such a reader ignores quotes: the worst there is.
    lines = re.split(r"[\r\n]", written(TEXTS))
    assert not [line for line in lines if FORMULA.match(line)]


def test_every_text_is_quoted():
    line = written(["a\rb"]).split("\n")[1]
    assert '"a\rb"' in line
    assert ",3," in line


@given(st.text(st.sampled_from(" \t\r\n\v\x85\u2028ab'=+-@＝\"")))
def test_no_line_of_a_cell_is_a_formula(text):
    cell = _cell(text)
    assert without_guards(cell) == without_guards(text)
    assert not any(FORMULA.match(line) for line in cell.splitlines())
    assert not cell.startswith(("\t", "\r"))


def test_long_blank_texts_take_no_longer():
    for unit in (" ", "\n", " \n", "\r", "\t"):
        _cell(unit * 200_000)  # quadratic would take minutes


@pytest.mark.parametrize("value", [None, True, 3, -2.5])
def test_numbers_are_not_texts(value):
    assert _cell(value) is value


def test_what_would_steer_a_terminal_is_written_out_in_files_too():
    table = written(["\x1b[2J\x00\x07\x9b\x7f", "a\tb\nc\rd"])
    assert "␛[2J␀␇⟨U+009B⟩⟨U+007F⟩" in table
    assert "a\tb\nc\rd" in table


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_nothing_steers_it():
    file = Terminal(newline="")
    _write(iter([{"output": "\x1b[2J \u202e"}]), RECORD, Form.csv, file)
    assert "␛[2J ⟨U+202E⟩" in file.getvalue()
