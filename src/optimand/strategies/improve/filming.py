"""Pictures of what was found, where the task can take some."""

from __future__ import annotations

from concurrent.futures import Executor

from optimand.core.artifact import Candidate
from optimand.core.calling import called
from optimand.core.keys import content_hash
from optimand.core.log import Log
from optimand.core.store import Event
from optimand.core.task import Task
from optimand.core.usercode import CRASHES, said

__all__ = ["FILM", "filmed"]

FILM = "film"
"""The kind of the event: `candidate`, and `png` in base64 or `why` there is none."""


async def filmed(
    log: Log, task: Task, best: Candidate, pool: Executor | None, seconds: float
) -> None:
    """Log, once, the task's `film(artifact)` of the best candidate, for the report.

    A film is no evidence: where it fails, the reason is logged and nothing else happens.
    """
    film = getattr(task, "film", None)
    key = content_hash(FILM, best.id)
    if not callable(film) or log.find(key) is not None:
        return
    try:
        picture = await called(pool, film, best.artifact)
        body = {"png": picture} if picture else {"why": "the environment draws no pictures"}
    except CRASHES as error:
        body = {"why": said(error)[:300]}
    await log.write([Event(FILM, {"candidate": best.id, **body}, key, seconds)])
