"""A study as its log tells it: what was asked, where it stands, who takes part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimand.core.store import Event, Journal, StudyInfo
from optimand.core.verdict import Verdict

__all__ = ["StudyView", "view_study"]


@dataclass(frozen=True)
class StudyView:
    """What a reader knows without looking at single calls.

    `verdict` is the latest, or what a snapshot of the unfinished run would conclude, None before
    the first. `finished`: the latest session ended with a verdict; otherwise it is still running
    or was killed. `line`: evidence in nats at which a candidate is given up, None where the
    strategy has a rule of its own. `order`: ids in the order of `Verdict.wins`. `lasting`: whether
    the log outlives the process that wrote it.
    """

    name: str
    created: str
    settings: Mapping[str, Any]
    names: Mapping[str, str]
    parts: Mapping[str, Mapping[str, Any]]
    order: tuple[str, ...]
    verdict: Verdict | None = None
    finished: bool = False
    seconds: float = 0.0
    sessions: tuple[Mapping[str, Any], ...] = ()
    line: float | None = None
    path: Mapping[str, list[float]] = field(default_factory=dict)
    lasting: bool = True

    @property
    def confidence(self) -> float:
        """The confidence asked for."""
        return float(self.settings.get("confidence", 0.95))

    def name_of(self, candidate: str | None) -> str:
        """The name of a candidate; its id where the log holds no name."""
        return self.names.get(candidate or "", candidate or "nobody")


def view_study(info: StudyInfo, journal: Journal, *, lasting: bool = True) -> StudyView:
    """The view of the study that `journal` logs; reads its milestones only."""
    marks = list(journal.events(("session", "snapshot", "verdict")))
    sessions = tuple(e.body for e in marks if e.kind == "session")
    states = [e for e in marks if e.kind != "session"]
    known: Mapping[str, Any] = info.settings.get("candidates", {})
    latest: Mapping[str, Any] = sessions[-1] if sessions else {}
    names = {i: str(c.get("name", i)) for i, c in known.items()} | dict(latest.get("names", {}))
    verdict = Verdict.from_json(states[-1].body) if states else None
    confidence = float(info.settings.get("confidence", 0.95))
    line = latest.get("line") if sessions else math.log(1.0 / (1.0 - confidence))
    return StudyView(
        name=info.name,
        created=info.created,
        settings=info.settings,
        names=names,
        parts={i: c.get("parts", {}) for i, c in known.items()},
        order=tuple(latest.get("order", ())) or tuple(names),
        verdict=verdict,
        finished=bool(marks) and marks[-1].kind == "verdict",
        seconds=max((e.at for e in marks), default=0.0),
        sessions=sessions,
        line=line,
        path=(verdict.history if verdict and verdict.history else _path(states)),
        lasting=lasting,
    )


def _path(states: list[Event]) -> dict[str, list[float]]:
    """Evidence over time from the snapshots of a run that has not ended."""
    path: dict[str, list[float]] = {"at": []}
    for event in states:
        standings = event.body.get("standings", ())
        at = float(event.body.get("used", 0))
        if not standings or (path["at"] and at <= path["at"][-1]):
            continue
        path["at"].append(at)
        for standing in standings:
            value = standing["evidence"]
            path.setdefault(standing["candidate"], []).append(math.inf if value is None else value)
    return path
