"""The one way from a text to what rich draws: nothing in it is markup, nothing is hidden."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from optimand.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["add_row", "console", "safe", "stack", "table"]

LIMIT = 200
NO_TERMINAL = 240
"""Columns of a table that is written to a file or a pipe."""


def safe(value: Any, style: str = "", limit: int = LIMIT) -> Text:
    """Any value as one visible line of at most `limit` characters; see `report.text.one_line`."""
    from rich.text import Text

    return Text(one_line(value, limit), style=style)


def table(columns: Sequence[tuple[str, dict[str, Any]]], **look: Any) -> Table:
    """An empty table without lines; a column is its title and rich's options for it."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, **look)
    for title, options in columns:
        made.add_column(safe(title), **options)
    return made


def add_row(to: Table, *cells: Any) -> None:
    """Add a row: text is made safe, what rich draws itself (a bar, a safe text) stays."""
    to.add_row(*(safe(cell) if isinstance(cell, str) else cell for cell in cells))


def stack(*parts: Any) -> Any:
    """Parts one below the other."""
    from rich.console import Group

    return Group(*(safe(part) if isinstance(part, str) else part for part in parts))


def console(*, error: bool = False) -> Console:
    """Standard output, or standard error, as rich draws on it; it reads no markup."""
    from rich.console import Console

    stream: Any = sys.stderr if error else sys.stdout
    made = Console(file=stream, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = NO_TERMINAL
    return made
