"""What a short first run found: the ground of a plan for the whole one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optimand.core.codec import unpack
from optimand.core.errors import InputError
from optimand.core.executions import executions
from optimand.core.record import Comparison, Judgement, Record, Usage
from optimand.statistics import bradley_terry

if TYPE_CHECKING:
    from optimand.core.store import Journal, Store, StudyInfo

__all__ = ["Pilot", "read_pilot"]

Floats = NDArray[np.float64]

FEWEST = 10
"""Examples, or comparisons, below which a pilot says nothing."""


@dataclass(frozen=True)
class Pilot:
    """Results of a pilot with K candidates.

    scores (N, K): of N examples, NaN where not run; None where pairs were compared. wins, played
    (K, K): [i, j] sum of i's scores against j, and comparisons. ties: share of the comparisons.
    usd, seconds: per rollout or comparison, of which `used` were made; None if unknown.
    """

    scores: Floats | None
    wins: Floats
    played: Floats
    ties: float
    whole: bool
    used: int
    usd: float | None
    seconds: float | None

    def strengths(self, rng: np.random.Generator, runs: int) -> Floats:
        """Strengths (R, K) drawn from their posterior, by a normal approximation."""
        theta = bradley_terry.fit(self.wins, self.played, ridge=1.0)
        _slope, weight = bradley_terry.gradient(theta, self.wins, self.played)
        precision = bradley_terry.laplacian(weight) + np.eye(len(theta))
        return np.asarray(rng.multivariate_normal(theta, np.linalg.inv(precision), size=runs))

    def resampled(self, rng: np.random.Generator, runs: int) -> Floats:
        """Scores (R, N, K): `runs` bootstrapped versions of the pilot's N examples.

        What a candidate was not run on is filled with scores that it had elsewhere.
        """
        assert self.scores is not None
        count, size = self.scores.shape
        filled = np.tile(self.scores, (runs, 1, 1))
        for k in range(size):
            empty = np.isnan(self.scores[:, k])
            filled[:, empty, k] = rng.choice(self.scores[~empty, k], (runs, int(empty.sum())))
        rows = rng.integers(count, size=(runs, count))
        return np.asarray(filled[np.arange(runs)[:, None], rows])


def read_pilot(store: Store | str | Path, study: str) -> Pilot | None:
    """What `study` in `store` found so far; None where there is no such study.

    Raises InputError where it holds too little, StorageError for a store that cannot be read.
    """
    from optimand.storage.connect import connect

    if not isinstance(store, str | Path):
        return _from_store(store, study)
    if "://" not in str(store) and not Path(store).exists():
        return None
    with closing(connect(store, read_only=True)) as opened:
        return _from_store(opened, study)


def _from_store(store: Store, study: str) -> Pilot | None:
    info = next((info for info in store.studies() if info.name == study), None)
    if info is None:
        return None
    with closing(store.read(study)) as journal:
        return _read(info, journal)


def _read(info: StudyInfo, journal: Journal) -> Pilot:
    index = {name: i for i, name in enumerate(info.settings["candidates"])}
    found = _Found(len(index))
    for record, judged in executions(journal, info.settings.get("judge")):
        found.ran(index[record.candidate], record, judged)
    for event in journal.events(("comparison",)):
        made = unpack(Comparison, event.body)
        found.compared(index[made.a], index[made.b], made)
    seconds = max((e.at for e in journal.events(("session", "snapshot", "verdict"))), default=0.0)
    return found.pilot(info.name, info.settings.get("population") == "whole", seconds)


class _Found:
    """What the events say, added up."""

    def __init__(self, size: int) -> None:
        self.wins: Floats = np.zeros((size, size))
        self.played: Floats = np.zeros((size, size))
        self.rows: dict[str, Floats] = {}
        self.ties = self.rollouts = 0
        self.usage = Usage()

    def compared(self, a: int, b: int, made: Comparison) -> None:
        self.usage += made.usage
        if made.outcome is None:
            return
        self.wins[a, b] += made.outcome
        self.wins[b, a] += 1.0 - made.outcome
        self.played[a, b] += 1
        self.played[b, a] += 1
        self.ties += made.outcome == 0.5

    def ran(self, k: int, record: Record, judged: Judgement | None) -> None:
        self.rollouts += 1
        self.usage += record.usage + judged.usage if judged else record.usage
        score = judged.value if judged else record.score
        if score is not None:
            row = self.rows.setdefault(record.example, np.full(len(self.wins), np.nan))
            row[k] = score

    def pilot(self, study: str, whole: bool, seconds: float) -> Pilot:
        games = int(self.played.sum() / 2)
        scores = np.array(list(self.rows.values())) if self.rows and not games else None
        _enough(study, scores, self.played)
        used = games or self.rollouts
        return Pilot(
            scores,
            self.wins,
            self.played,
            self.ties / max(games, 1),
            whole,
            used,
            None if self.usage.unpriced else self.usage.usd / used or None,
            seconds / used,
        )


def _enough(study: str, scores: Floats | None, played: Floats) -> None:
    found = len(scores) if scores is not None else int(played.sum() / 2)
    what = "examples" if scores is not None else "comparisons"
    unseen: Any = np.isnan(scores).all(0).any() if scores is not None else False
    if found < FEWEST or unseen:
        raise InputError(
            f"the pilot {study!r} has {found} {what}: a plan needs at least {FEWEST}, with every "
            "candidate among them. Raise its budget and run it again, or plan without its store."
        )
