"""Evidence over time, kept at a few hundred points however long the run is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["History"]

POINTS = 400


class History:
    """Values of several series; when there are too many points every other one is dropped."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._at: list[float] = []
        self._values: list[tuple[float, ...]] = []
        self._stride = 1
        self._seen = 0

    def add(self, at: float, values: Iterable[float]) -> None:
        """Note the values of all series, in the order of `names`, at `at`."""
        due = self._seen % self._stride == 0
        self._seen += 1
        if not due:
            return
        self._at.append(at)
        self._values.append(tuple(round(float(v), 3) for v in values))
        if len(self._at) >= POINTS:
            self._at, self._values = self._at[::2], self._values[::2]
            self._stride *= 2

    def to_json(self, at: float, values: Iterable[float]) -> dict[str, list[float]]:
        """{"at": [...], name: [...]}, ending with the values now."""
        points = [*self._values, tuple(round(float(v), 3) for v in values)]
        series = {name: [p[i] for p in points] for i, name in enumerate(self.names)}
        return {"at": [*self._at, at], **series}
