"""Tables for people: as wide as the terminal, or as it takes where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from optimand.cli.screen import add_row, console, table

if TYPE_CHECKING:
    from optimand.core.verdict import Verdict

__all__ = ["print_table", "ranking_table"]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: str = "") -> None:
    """A table on standard output; columns marked "r" in `numbers` are aligned to the right."""
    right = [numbers[i : i + 1] == "r" for i in range(len(head))]
    columns = [
        (title, {"justify": "right" if r else "left", "no_wrap": r})
        for title, r in zip(head, right, strict=True)
    ]
    drawn = table(columns, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows:
        add_row(drawn, *row)
    console().print(drawn)


def ranking_table(verdict: Verdict, names: Mapping[str, str], line: float | None) -> None:
    """Print the standings; `line` is the evidence at which a candidate is ruled out."""
    from optimand.report import cells

    title = cells.evidence_title(line)
    head = ("", "candidate", verdict.measure, "interval", "runs", title, "")
    rows = [
        (
            str(s.rank),
            names.get(s.candidate, s.candidate),
            cells.estimate(verdict, s),
            cells.interval(verdict, s),
            str(s.runs),
            cells.evidence(s),
            "" if s.alive else "ruled out",
        )
        for s in verdict.standings
    ]
    print_table(head, rows, "rlrrrrl")
