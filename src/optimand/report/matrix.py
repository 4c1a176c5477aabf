"""Who beats whom: the win rates of a study of duels."""

from __future__ import annotations

from dataclasses import dataclass

from optimand.report.study import StudyView

__all__ = ["Matrix", "MatrixCell", "matrix_of"]

MOST = 16


@dataclass(frozen=True)
class MatrixCell:
    """How often the row's candidate beat the column's, ties counted half, in `count` games.

    `strength` in [-1, 1] is how far from even, 0 where they never met.
    """

    rate: float | None
    count: int
    strength: float


@dataclass(frozen=True)
class Matrix:
    """Cells by row, in the order of the ranking; `left_out` candidates did not fit."""

    names: tuple[str, ...]
    rows: tuple[tuple[MatrixCell | None, ...], ...]
    left_out: int


def matrix_of(view: StudyView) -> Matrix | None:
    """The matrix of the best ranked; None where nothing was compared."""
    v = view.verdict
    if v is None or not v.wins or len(v.wins.get("count", ())) != len(view.order):
        return None
    index = {candidate: i for i, candidate in enumerate(view.order)}
    ranked = [s.candidate for s in v.standings if s.candidate in index]
    kept = ranked[:MOST]
    score, count = v.wins["score"], v.wins["count"]

    def cell(a: str, b: str) -> MatrixCell | None:
        if a == b:
            return None
        i, j = index[a], index[b]
        games = round(count[i][j])
        rate = score[i][j] / count[i][j] if games else None
        return MatrixCell(rate, games, 0.0 if rate is None else 2.0 * rate - 1.0)

    rows = tuple(tuple(cell(a, b) for b in kept) for a in kept)
    return Matrix(tuple(view.name_of(c) for c in kept), rows, len(ranked) - len(kept))
