"""Find what an earlier study left for a warm start, in its store or in that of the new one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from optimand.core.action import Strategy
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError, StorageError
from optimand.core.keys import content_hash, seed_from
from optimand.core.run import Run
from optimand.core.store import Event, Journal, Store, StudyInfo
from optimand.core.task import Task
from optimand.core.usercode import shown
from optimand.core.verdict import Verdict
from optimand.storage.connect import connect
from optimand.strategies.pick.warm import Carried, with_warm_start

__all__ = [
    "CARRIED",
    "ENDED",
    "LEFT",
    "begun_from",
    "earlier",
    "left_by",
    "seed_of",
    "warmed",
    "with_origin",
]

LEFT, CARRIED = "evidence", "warm start"
"""Kinds of event: what a study leaves at its end, and what one began from."""
ENDED = ("separated", "indifferent", "cycle", "budget", "exhausted")
"""Reasons of an end that does not depend on outcomes still to come. An interruption may: it leaves
out the slow ones, and slow ones may differ."""


def earlier(given: Any, place: Store | str | Path, settings: Mapping[str, Any]) -> Carried:
    """What the study `given`, a PickResult or a pair (store, study), left at its end.

    `settings`: of the new study without a warm start. Where the earlier store is gone, a study in
    `place`, the new store, that began from it with these settings has what was carried.
    Raises InputError for a study that cannot be gone on from.
    """
    store, study = _meant(given)
    try:
        with _reading(store) as open_:
            return _left(open_, _the(study, open_.studies()), settings)
    except StorageError:
        found = _own(place, study, settings)
        if found is None:
            raise
        return found


def warmed(
    rule: Strategy,
    given: Any,
    place: Store | str | Path | None,
    settings: Mapping[str, Any],
    candidates: Sequence[Candidate],
    task: Task,
) -> Strategy:
    """The same strategy, going on from what `given` left (see `earlier`); None leaves it as it is.

    Raises InputError where it cannot.
    """
    if given is None:
        return rule
    return with_warm_start(rule, earlier(given, place or "memory:", settings), candidates, task)


def seed_of(rule: Strategy, seed: int) -> int:
    """The seed of a run; after a warm start another, so that no draw is that of the earlier one."""
    before: Carried | None = getattr(rule, "warm", None)
    return seed if before is None else seed_from(seed, before.digest)


def with_origin(settings: Mapping[str, Any], rule: Strategy) -> dict[str, Any]:
    """A study's settings, with what it goes on from: another past is another study."""
    before: Carried | None = getattr(rule, "warm", None)
    origin = {} if before is None else {"study": before.study, "digest": before.digest}
    return {**settings, CARRIED: origin} if origin else dict(settings)


def begun_from(rule: Strategy, known: Collection[str]) -> Iterator[Event]:
    """What a log keeps of a warm start, so that the earlier store may go; unless it is `known`."""
    before: Carried | None = getattr(rule, "warm", None)
    key = "" if before is None else content_hash(CARRIED, before.digest)
    if before is not None and key not in known:
        yield Event(CARRIED, {"study": before.study, "left": before.body}, key)


def left_by(run: Run, verdict: Verdict) -> Iterator[Event]:
    """What a later study may go on from."""
    if run.keep is not None and verdict.reason in ENDED:
        yield Event(LEFT, run.keep(), at=run.ledger.seconds)


def _meant(given: Any) -> tuple[Store | str | Path, str]:
    pair = given if isinstance(given, tuple | list) else (_source(given), _study(given))
    if len(pair) == 2 and isinstance(pair[1], str) and pair[1] and pair[0] is not None:
        store, study = pair
        if isinstance(store, str | Path) or hasattr(store, "studies"):
            return store, study
    raise InputError(
        f"warm_start is {shown(given)}: give the result of an earlier pick, or (store, study)"
    )


def _source(given: Any) -> Any:
    return getattr(given, "source", None)


def _study(given: Any) -> Any:
    return getattr(given, "study", None)


@contextmanager
def _reading(store: Store | str | Path) -> Iterator[Store]:
    if not isinstance(store, str | Path):
        yield store
        return
    with closing(connect(store, read_only=True)) as opened:
        yield opened


def _the(study: str, infos: list[StudyInfo]) -> StudyInfo:
    for info in infos:
        if info.name == study:
            return info
    known = ", ".join(info.name for info in infos[-5:]) or "none"
    raise StorageError(f"warm start: no study {study!r} in its store. Studies there: {known}.")


def _left(store: Store, info: StudyInfo, settings: Mapping[str, Any]) -> Carried:
    _same_subject(info, settings)
    with closing(store.read(info.name)) as journal:
        marks = list(journal.events(("session", "verdict", LEFT)))
    body, reason = None, ""
    for event in marks:
        if event.kind == "session":
            body, reason = None, ""
        elif event.kind == "verdict":
            reason = str(event.body["reason"])
        else:
            body = event.body
    if body is not None:
        return _checked(info.name, body)
    name = f"warm start: the study {info.name!r}"
    if not reason or reason not in ENDED:
        how = f"ended by {reason!r}" if reason else "has not ended"
        raise InputError(
            f"{name} {how}. Run it again until it ends; a budget of what it has spent will do."
        )
    raise InputError(f"{name} kept no evidence to go on from: its strategy or version keeps none")


def _same_subject(info: StudyInfo, settings: Mapping[str, Any]) -> None:
    words = {"execution": "how candidates are executed", "judge": "the judge"}
    for name, what in words.items():
        if info.settings.get(name) != settings[name]:
            raise InputError(
                f"warm start: {what} is another than in the study {info.name!r}, so its evidence "
                "says nothing here. Start without it, or restore what was changed."
            )
    if info.settings.get("population") == "whole":
        raise InputError(
            f"warm start: the study {info.name!r} was about its whole population, and that past "
            "is tied to its own candidates. Start without it."
        )


def _own(place: Store | str | Path, study: str, settings: Mapping[str, Any]) -> Carried | None:
    """What the latest study in the new store that began from `study` has of it."""
    wanted = content_hash(settings)
    try:
        with _reading(place) as store:
            for info in reversed(store.studies()):
                known = dict(info.settings)
                begun: Any = known.pop(CARRIED, None)
                if begun and begun.get("study") == study and content_hash(known) == wanted:
                    with closing(store.read(info.name)) as journal:
                        return _carried(study, journal)
    except StorageError:
        return None
    return None


def _carried(study: str, journal: Journal) -> Carried | None:
    body = next((event.body["left"] for event in journal.events((CARRIED,))), None)
    return None if body is None else _checked(study, body)


def _checked(study: str, body: Mapping[str, Any]) -> Carried:
    lists = all(isinstance(body.get(name), list) for name in ("candidates", "examples"))
    numbers = all(isinstance(body.get(name), int) for name in ("drawn", "used"))
    if not (lists and numbers and isinstance(body.get("arrays"), Mapping)):
        raise StorageError(f"what the study {study!r} left for a warm start cannot be read")
    return Carried(study, body)
