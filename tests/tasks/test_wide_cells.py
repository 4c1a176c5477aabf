import csv

from optimand.tasks.example_files import read_rows
from optimand.tasks.faults import Faults


def test_cells_of_any_length(tmp_path):
    long = "y" * 300_000
    csv.field_size_limit(131_072)  # as it is at the start
    for name, delimiter in (("a.csv", ","), ("a.tsv", "\t")):
        path = tmp_path / name
        path.write_text(f"input{delimiter}target\n{long}{delimiter}x\n", encoding="utf-8")
        assert read_rows(path, Faults()) == [(f"{name} line 2", {"input": long, "target": "x"})]
