"""A study of `improve` as its log tells it: the candidates, the steps, the certificate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from optimand.core.executions import executions
from optimand.core.store import Event, Journal, StudyInfo
from optimand.core.verdict import Verdict
from optimand.improve_result import certificate_line, is_proven
from optimand.report.study import StudyView

__all__ = ["Kept", "Proposed", "SearchView", "is_improvement", "view_search"]

_MARKS = (
    "session",
    "snapshot",
    "search",
    "verdict",
    "candidate",
    "step",
    "warnings",
    "film",
    "examples",
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True)
class Proposed:
    """A candidate and where it came from; `step` is None for the start."""

    id: str
    name: str
    parents: tuple[str, ...] = ()
    operator: str = "given"
    parts: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None


@dataclass(frozen=True)
class Kept:
    """A proposal that was accepted: its mean where the search ranks, and what was spent by then."""

    id: str
    score: float
    spent: Mapping[str, float]


@dataclass(frozen=True)
class SearchView:
    """What a reader knows of an improvement without looking at single outputs.

    `study` is the certificate as a study of its own, with the names of all candidates; its verdict
    is None before the first look at the certificate. `search` is the search's verdict, or its
    latest snapshot. `scores`: by candidate and split, in the order made; `objectives`: means on
    val by candidate. `seen`: how many examples each split has. `film`: of
    `candidate`, `png` in base64 or `why` there is none.
    """

    study: StudyView
    start: str
    candidates: Mapping[str, Proposed]
    steps: tuple[Mapping[str, Any], ...]
    search: Verdict | None = None
    scores: Mapping[tuple[str, str], list[float]] = field(default_factory=dict)
    objectives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seen: Mapping[str, int] = field(default_factory=dict)
    film: Mapping[str, str] = field(default_factory=dict)

    @property
    def certificate(self) -> Verdict | None:
        """The certificate's verdict, or its latest snapshot."""
        return self.study.verdict

    @property
    def proven(self) -> bool:
        """Whether the best is proven better than the start."""
        return is_proven(self.certificate, self.start)

    @property
    def best(self) -> str:
        """The certificate's best; without one the search's."""
        v = self.certificate or self.search
        return (v.best if v else None) or self.start

    @property
    def found(self) -> str:
        """What there is to look at beside the start: the best, or the search's best finalist."""
        if self.best != self.start or self.search is None:
            return self.best
        return self.search.best or self.start

    def name_of(self, candidate: str) -> str:
        """The name of a candidate."""
        return self.study.name_of(candidate)

    def value(self, candidate: str, split: str = "val") -> float | None:
        """Mean score on a split; None where the log does not say."""
        scores = self.scores.get((candidate, split))
        if scores:
            return sum(scores) / len(scores)
        if split != self.split:
            return None
        standings = self.search.standings if self.search else ()
        listed = {s.candidate: s.estimate for s in standings if s.runs}
        return next((k.score for k in self.kept if k.id == candidate), listed.get(candidate))

    @property
    def split(self) -> str:
        """Where the search ranks: "val", or "train" for a method that runs nothing on val."""
        on_val = any("val" in trial.get("scores", {}) for trial in self.trials)
        only_train = any("train" in trial.get("scores", {}) for trial in self.trials)
        return "train" if only_train and not on_val else "val"

    @property
    def kept(self) -> list[Kept]:
        """What was accepted and scored where the search ranks, in order, each once."""
        split = self.split
        found: dict[str, Kept] = {}
        for body in self.steps:
            for trial in body["trials"]:
                scores, one = trial.get("scores", {}), trial.get("candidate")
                if trial["accepted"] and one and split in scores and one != self.start:
                    found.setdefault(one, Kept(one, float(scores[split]), body.get("spent", {})))
        return list(found.values())

    @property
    def trials(self) -> Iterator[Mapping[str, Any]]:
        """Every proposal, in order."""
        for body in self.steps:
            yield from body["trials"]

    @property
    def lineage(self) -> list[Proposed]:
        """From the start to what was found, first parents only."""
        line = [self.candidates[self.found]] if self.found in self.candidates else []
        while line and line[-1].parents and len(line) <= len(self.candidates):
            parent = self.candidates.get(line[-1].parents[0])
            if parent is None or parent in line:
                break
            line.append(parent)
        return line[::-1]


def is_improvement(info: StudyInfo) -> bool:
    """Whether a study was made by `improve`."""
    return isinstance(info.settings.get("method"), Mapping)


class _Reading:
    """What the marks of a log come to, one after the other."""

    def __init__(self, info: StudyInfo) -> None:
        self.method = info.settings.get("strategy")
        known: Mapping[str, Any] = info.settings.get("candidates", {})
        self.start = next(iter(known), "")
        self.candidates = {
            i: Proposed(i, str(c.get("name", i)), parts=c.get("parts", {}))
            for i, c in known.items()
        }
        self.sessions: list[Mapping[str, Any]] = []
        self.steps: dict[int, Mapping[str, Any]] = {}
        self.states: dict[str, list[Event]] = {"search": [], "certificate": []}
        self.warnings: tuple[str, ...] = ()
        self.splits: dict[str, str] = {}
        self.film: dict[str, str] = {}
        self.phase, self.last, self.seconds = "search", "", 0.0

    def take(self, event: Event) -> None:
        """Take in one mark."""
        body = event.body
        if event.kind != "examples":  # which have no time
            self.seconds, self.last = max(self.seconds, event.at), event.kind
        if event.kind == "session":
            self.sessions.append(body)
            own = body.get("rule", {}).get("name") == self.method
            self.phase = "search" if own else "certificate"
        elif event.kind in ("snapshot", "search", "verdict"):
            self.states[self.phase].append(event)
        elif event.kind == "candidate":
            parents = tuple(body.get("parents", ()))
            made = (str(body["name"]), parents, str(body["operator"]), body["parts"])
            self.candidates[body["id"]] = Proposed(body["id"], *made, len(self.steps))
        elif event.kind == "step":
            self.steps[int(body["number"])] = body
        elif event.kind == "warnings":
            self.warnings = tuple(map(str, body["texts"]))
        elif event.kind == "film":
            self.film = {name: str(value) for name, value in body.items()}
            if not _BASE64.fullmatch(self.film.get("png", "A")):
                self.film = {"candidate": self.film["candidate"], "why": "it is damaged"}
        else:
            split = "test" if body["split"] == "all" else str(body["split"])
            self.splits.update({row[0]: split for row in body["rows"]})


def view_search(info: StudyInfo, journal: Journal, *, lasting: bool = True) -> SearchView:
    """The view of the improvement that `journal` logs, finished or not."""
    read = _Reading(info)
    for event in journal.events(_MARKS):
        read.take(event)
    scores, objectives = _scores(journal, info.settings.get("judge"), read.splits)
    study = _certificate(info, read, lasting)
    search = read.states["search"]
    return SearchView(
        study,
        read.start,
        read.candidates,
        tuple(read.steps[n] for n in sorted(read.steps)),
        Verdict.from_json(search[-1].body) if search else None,
        scores,
        objectives,
        read.warnings,
        _counted(read),
        read.film,
    )


def _certificate(info: StudyInfo, read: _Reading, lasting: bool) -> StudyView:
    states = read.states["certificate"]
    verdict = Verdict.from_json(states[-1].body) if states else None
    confidence = float(info.settings.get("confidence", 0.95))
    order: tuple[str, ...] = ()
    if states and read.sessions:
        order = tuple(read.sessions[-1].get("order", ()))
    return StudyView(
        name=info.name,
        created=info.created,
        settings=info.settings,
        names={c.id: c.name for c in read.candidates.values()},
        parts={c.id: c.parts for c in read.candidates.values()},
        order=order,
        verdict=verdict,
        finished=read.last in ("search", "verdict", "warnings", "film"),
        seconds=read.seconds,
        sessions=tuple(read.sessions),
        line=certificate_line(confidence),
        path=dict(verdict.history) if verdict else {},
        lasting=lasting,
    )


def _counted(read: _Reading) -> dict[str, int]:
    found: dict[str, int] = {}
    for session in read.sessions:
        for name, count in session.get("examples", {}).items():
            found["test" if name == "all" else name] = count
    return found


def _scores(
    journal: Journal, judge: str | None, splits: Mapping[str, str]
) -> tuple[dict[tuple[str, str], list[float]], dict[str, dict[str, float]]]:
    """Scores by candidate and split; where examples have no split in the log, none."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    sums: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record, judged in executions(journal, judge):
        split = splits.get(record.example)
        value = judged.value if judged is not None else record.score
        if split is None or value is None or record.status == "unknown":
            continue
        scores[record.candidate, split].append(value)
        for name, amount in record.objectives.items() if split == "val" else ():
            sums[record.candidate][name].append(amount)
    means = {
        one: {name: sum(values) / len(values) for name, values in sorted(found.items())}
        for one, found in sums.items()
    }
    return dict(scores), means
