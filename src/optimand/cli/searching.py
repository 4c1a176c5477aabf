"""What is shown while `improve` goes on: the search, then its certificate."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from optimand.cli.common import say
from optimand.cli.live import EVERY_SECONDS, SENTENCE, Lines, LiveTable, Observe
from optimand.cli.progress import spent_so_far
from optimand.cli.screen import console, safe, stack
from optimand.core.amounts import clock
from optimand.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from optimand.core.run import Run
    from optimand.core.verdict import Verdict

__all__ = ["LiveSearch", "SearchLines", "searching", "watch_search"]


@contextmanager
def watch_search(confidence: float, quiet: bool) -> Iterator[Observe | None]:
    """The observer to hand to `improve`; shows nothing with `quiet`."""
    if quiet:
        yield None
        return
    from optimand.improve_result import certificate_line

    line = certificate_line(confidence)
    if not sys.stderr.isatty():
        yield SearchLines(line)
    else:
        with LiveSearch(line, console(error=True)) as live:
            yield live


def searching(run: Run) -> bool:
    """Whether this run is the search; its certificate sees nothing but the unseen examples."""
    return "val" in run.task.splits


def _sentence(verdict: Verdict, spent: dict[str, float]) -> str:
    """Where the search is: what it says of itself, what was spent, and how long it took."""
    parts = [
        f"searching: {verdict.detail}",
        f"{spent.get('rollouts', 0):,.0f} rollouts",
        spent_so_far(spent),
        f"{clock(spent.get('seconds', 0.0))} so far",
    ]
    return "; ".join(part for part in parts if part)


class SearchLines:
    """An observer that says where the search is, and then the certificate, every few seconds."""

    def __init__(
        self, line: float, write: Callable[[str], None] = say, every: float = EVERY_SECONDS
    ) -> None:
        self._write, self._every, self._due = write, every, 0.0
        self._certificate = Lines(line, lambda text: write(f"certificate: {text}"), every)

    def __call__(self, verdict: Verdict, run: Run) -> None:
        """Say it, if it is time."""
        if not searching(run):
            self._certificate(verdict, run)
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + self._every
            self._write(one_line(_sentence(verdict, run.ledger.spent()), SENTENCE))


class LiveSearch:
    """An observer that redraws one sentence, and in the certificate one table."""

    def __init__(self, line: float, console: Console) -> None:
        from rich.live import Live

        self._certificate = LiveTable(line, console)
        self._state: tuple[Verdict, dict[str, float], float] | None = None
        self._proving = False
        self._live = Live(
            console=console, get_renderable=self.drawn, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> LiveSearch:
        self._live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._live.__exit__(*details)

    def __call__(self, verdict: Verdict, run: Run) -> None:
        """Take the state; it is drawn at the next refresh."""
        self._proving = not searching(run)
        if self._proving:
            self._certificate(verdict, run)
        else:
            self._state = verdict, run.ledger.spent(), time.monotonic()

    def drawn(self) -> Any:
        """What to draw now."""
        if self._proving:
            title = safe("certificate: start and finalists on unseen examples", "bold")
            return stack(title, self._certificate.table())
        if self._state is None:
            return safe("starting ...")
        verdict, spent, seen = self._state
        now = {**spent, "seconds": spent.get("seconds", 0.0) + time.monotonic() - seen}
        return safe(_sentence(verdict, now), "", SENTENCE)
