"""Tables for people: as wide as the terminal, or as it takes where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from optimand.report.text import one_line

if TYPE_CHECKING:
    from optimand.core.verdict import Verdict

__all__ = ["print_table", "ranking_table"]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: str = "") -> None:
    """A table on standard output; columns marked "r" in `numbers` are aligned to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for i, title in enumerate(head):
        right = numbers[i : i + 1] == "r"
        table.add_column(title, justify="right" if right else "left", no_wrap=right)
    for row in rows:
        table.add_row(*(Text(one_line(cell, 200)) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 240
    console.print(table)


def ranking_table(verdict: Verdict, names: Mapping[str, str]) -> None:
    """Print the standings."""
    head = ("", "candidate", verdict.measure, "interval", "runs", "evidence against", "")
    rows = [
        (
            str(s.rank),
            names.get(s.candidate, s.candidate),
            f"{s.estimate:.3f}",
            f"{s.low:.3f} to {s.high:.3f}",
            str(s.runs),
            f"{s.evidence:.1f}",
            "" if s.alive else "ruled out",
        )
        for s in verdict.standings
    ]
    print_table(head, rows, "rlrrrrl")
