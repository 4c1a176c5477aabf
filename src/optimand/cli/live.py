"""What is shown while a run goes on: a live table on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from optimand.cli.common import say
from optimand.cli.progress import Pace, Progress
from optimand.cli.screen import add_row, console, safe, stack, table
from optimand.report import cells
from optimand.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from optimand.core.run import Run
    from optimand.core.verdict import Verdict

__all__ = ["Lines", "LiveTable", "watch"]

EVERY_SECONDS = 5.0
ROWS = 12
SENTENCE = 600

Observe = Callable[["Verdict", "Run"], None]


@contextmanager
def watch(line: float | None, quiet: bool) -> Iterator[Observe | None]:
    """The observer to hand to `pick`; shows nothing with `quiet`."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield Lines(line)
    else:
        with LiveTable(line, console(error=True)) as live:
            yield live


def _look(pace: Pace, line: float | None, verdict: Verdict, run: Run) -> Progress:
    names = {c.id: c.name for c in run.candidates}
    spent = run.ledger.spent()
    ends = pace.left(verdict, spent["seconds"], line), pace.allowed(spent, run.ledger.limits)
    left = min((end for end in ends if end is not None), default=None)
    return Progress(verdict, names, spent, line, left)


class Lines:
    """An observer that says where the run is every few seconds, on a line of its own."""

    def __init__(
        self, line: float | None, write: Callable[[str], None] = say, every: float = EVERY_SECONDS
    ) -> None:
        self._line, self._write, self._every = line, write, every
        self._pace = Pace()
        self._due = 0.0

    def __call__(self, verdict: Verdict, run: Run) -> None:
        """Say it, if it is time."""
        progress = _look(self._pace, self._line, verdict, run)
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + self._every
            self._write(one_line(progress.sentence(), SENTENCE))


class LiveTable:
    """An observer that redraws one table; the clock runs on between looks."""

    def __init__(self, line: float | None, console: Console) -> None:
        from rich.live import Live

        self._line, self._pace = line, Pace()
        self._progress: Progress | None = None
        self._seen = time.monotonic()
        self._live = Live(
            console=console, get_renderable=self.table, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> LiveTable:
        self._live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._live.__exit__(*details)

    def __call__(self, verdict: Verdict, run: Run) -> None:
        """Take the state; it is drawn at the next refresh."""
        self._progress = _look(self._pace, self._line, verdict, run)
        self._seen = time.monotonic()

    def table(self) -> Any:
        """What to draw now."""
        progress = self._progress
        if progress is None:
            return safe("starting ...")
        since = time.monotonic() - self._seen
        spent = {**progress.spent, "seconds": progress.spent.get("seconds", 0.0) + since}
        left = None if progress.left is None else max(0.0, progress.left - since)
        now = Progress(progress.verdict, progress.names, spent, progress.line, left)
        return stack(_standings(now), safe(now.sentence(), "dim", SENTENCE))


def _standings(progress: Progress) -> Any:
    from rich.progress_bar import ProgressBar

    v = progress.verdict
    columns: list[tuple[str, dict[str, Any]]] = [
        ("", {"justify": "right"}),
        ("candidate", {"max_width": 40, "no_wrap": True}),
        (v.measure, {"justify": "right"}),
        (cells.evidence_title(progress.line), {"min_width": 24}),
        ("", {"justify": "right"}),
    ]
    drawn = table(columns, header_style="dim")
    for s in v.standings[:ROWS]:
        style = "bold green" if s.candidate == v.best else "" if s.alive else "dim"
        share = progress.share(s)
        bar = ProgressBar(
            total=1.0, completed=share, width=24, complete_style="yellow", finished_style="green"
        )
        name = safe(progress.names.get(s.candidate, s.candidate), style, 60)
        state = cells.evidence(s) if s.alive else "out"
        add_row(drawn, str(s.rank), name, cells.estimate(v, s), bar, safe(state, style))
    rest = len(v.standings) - ROWS
    if rest > 0:
        add_row(drawn, "", safe(f"and {rest} more", "dim"))
    return drawn
