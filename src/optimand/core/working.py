"""What a run has while it lasts: its log, and threads where the task takes several at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager

from optimand.core.executions import steps_taken
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.pool import DaemonPool
from optimand.core.store import Journal
from optimand.core.task import Task

__all__ = ["working"]


@asynccontextmanager
async def working(
    task: Task, journal: Journal, ledger: Ledger
) -> AsyncIterator[tuple[Log, Executor | None]]:
    """The log of `journal` and a pool of threads; both, and the task, are closed at the end.

    The ledger goes on from the time that earlier sessions took, and under a limit from their steps.
    """
    pool = DaemonPool(task.width) if task.width > 1 else None
    log = Log(journal, gather=task.width > 1)
    ledger.resume_at(log.elapsed)
    if "steps" in ledger.limits:
        ledger.logged(steps_taken(journal))
    try:
        yield log, pool
    finally:
        log.close()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        await task.close()
