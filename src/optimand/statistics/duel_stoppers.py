"""When to stop, and with what answer: rules over the state of a duel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from optimand.statistics.duel import DuelState

__all__ = ["CYCLE", "NEAR", "RUNNING", "WINNER", "betting_stop"]

Ints = NDArray[np.int64]

RUNNING, WINNER, NEAR, CYCLE = 0, 1, 2, 3


def betting_stop(state: DuelState) -> tuple[Ints, Ints]:
    """Return (kind, answer), both (R,): valid for every sampler, judge and score distribution.

    WINNER: all rivals are disproved. NEAR: no rival is better by the indifference or more. CYCLE:
    every candidate is disproved, so nobody is a Condorcet winner (answer -1). Otherwise RUNNING.
    """
    evidence = state.evidence
    self_ = np.eye(state.arms, dtype=bool)
    alive = evidence.alive
    if evidence.direct:
        exact = (evidence.beaten() | self_).all(1)
        excused = np.broadcast_to(self_, evidence.log_pair.shape)
    else:
        exact = alive & (alive.sum(1, keepdims=True) == 1)
        excused = self_ | ~alive[:, :, None]
    near = exact
    if evidence.log_near is not None:
        near = exact | (excused | (evidence.not_better() >= evidence.need_near)).all(1)
        if not evidence.direct:
            near &= alive
        if evidence.baseline is not None:
            near &= exact | evidence.proven | self_[evidence.baseline]
    exact, near = np.asarray(exact), np.asarray(near)
    answer = np.where(exact.any(1), exact.argmax(1), near.argmax(1))
    kind = np.where(exact.any(1), WINNER, np.where(near.any(1), NEAR, RUNNING))
    if not evidence.direct and state.options.check is not None:
        kind = _checked(state, kind, answer, state.options.check)
    kind = np.where(alive.any(1) | (kind != RUNNING), kind, CYCLE)
    return kind, np.where((kind == WINNER) | (kind == NEAR), answer, -1)


def _checked(state: DuelState, kind: Ints, answer: Ints, check: float) -> Ints:
    """Keep playing while some rival may well beat the answer: waiting longer is always valid."""
    if not kind.any():
        return kind
    doubtful = state.doubts(answer).max(1) > -check
    return np.where(doubtful, RUNNING, kind)
