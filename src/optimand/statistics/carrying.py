"""What an earlier search found, carried into a later one that has more candidates.

Let E_j be the pot of a candidate j of the earlier search S1 when that ended, and w its best one.
The later search S2 contains S1. Whoever is best in S2 was best in S1, if it was there: then its
pot, which goes on with fresh examples, is that of w. If it is new, it starts with
min(1, min over j in S1 of E_j), hence with no more than w had. So either way the pot of the best
of S2 goes on from at most E_w, and with it one nonnegative supermartingale runs through both
searches: it ever reaches 1/delta with probability at most delta (Ville), however S2 was chosen in
the light of S1. To start new ones at 1 would be right only if they were chosen blindly: an
adversary adds a better one just when E_w is below 1, and errs with probability up to 2 delta.

A race bets a little against its leader with every example, so that pot shrinks and new ones would
start far behind. There every pot keeps a RESERVE r in cash through S1: it goes on from
r + (1 - r) E, which is fair as well, costs at most ln(1 / (1 - r)) nats, and lets new ones start at
r or more. (So one that was ruled out by just enough must lose a few examples more.)

If a candidate of S1 is missing in S2 the others' pots say nothing there (one may be the best only
because its beater is gone), and all start at 1. Models and sizes of bets are always carried: they
are fixed before the outcomes to come, and a wrong one costs time, not validity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.duel import DuelState
from optimand.statistics.race import Race

__all__ = ["duel_arrays", "load_duel", "load_race", "race_arrays"]

Arrays = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ONE_AXIS = ("theta", "spread")
PAIRS = ("score", "count", "energy")
BETS = ("total", "squares", "shared", "power", "sizes")
WEIGHT = 20.0
"""Examples that earlier mean scores count for when a race chooses rivals; new ones catch up."""

RESERVE = 0.25
STEPS = 20
"""Newton steps for the strengths in a linear space."""


def duel_arrays(state: DuelState) -> dict[str, NDArray[Any]]:
    """What a later duel can go on from: evidence, counts and the model, (R, ...) each."""
    evidence, model = state.evidence, state.model
    return {
        "log_e": evidence.log_e,
        "peak": evidence.peak,
        "log_pair": evidence.log_pair,
        "energy": evidence.energy,
        "score": state.score,
        "count": state.count,
        "theta": model.theta,
        "spread": model.spread,
        "belief": model.belief,
        "dispersion": model.dispersion,
        "magnitude": model.magnitude,
        "seen": np.asarray(model.seen),
    }


def load_duel(state: DuelState, arrays: Arrays, place: Ints) -> None:
    """Let the new duel `state` go on from an earlier one's `arrays`.

    place (K1,): index of each earlier candidate among the new ones, -1 where it is missing.
    """
    here = place >= 0
    evidence, model = state.evidence, state.model
    for owner, names in ((model, ONE_AXIS), (state, ("score", "count")), (evidence, ("energy",))):
        for name in names:
            _embed(getattr(owner, name), arrays[name], place, name in PAIRS)
    if len(model.precisions) == arrays["belief"].shape[-1]:
        model.belief = np.array(arrays["belief"], float)
    model.dispersion = np.array(arrays["dispersion"], float)
    model.magnitude = np.array(arrays["magnitude"], float)
    model.seen = int(arrays["seen"])
    for _ in range(STEPS if model.features is not None else 0):
        model.refit(state.score, state.count, place, place)
    if here.all():
        evidence.log_e = _pots(evidence.log_e, arrays["log_e"], place)
        evidence.peak = evidence.log_e.copy()
        _embed(evidence.peak, arrays["peak"], place, False)
        _embed(evidence.log_pair, arrays["log_pair"], place, True)
    state.carry_on()


def race_arrays(race: Race) -> dict[str, NDArray[Any]]:
    """What a later race can go on from: evidence, mean scores and what the bets have learnt."""
    runs = np.maximum(np.diagonal(race.bets.shared, axis1=-2, axis2=-1), 1.0)
    bets = {name: getattr(race.bets, name) for name in (*BETS, "wealth")}
    return {"evidence": race.evidence, "mean": race.total / runs, "runs": runs, **bets}


def load_race(race: Race, arrays: Arrays, place: Ints) -> None:
    """Let the new `race` go on from an earlier one's `arrays`; `place` as for `load_duel`.

    What the bets on pairs have learnt (total to wealth) may be missing.
    """
    here = place >= 0
    if here.all():
        left = np.logaddexp(math.log(RESERVE), math.log1p(-RESERVE) + arrays["evidence"])
        race.evidence = _pots(race.evidence, left, place)
        race.alive = race.evidence < race.threshold
    at = np.flatnonzero(here)
    if "wealth" in arrays:
        for name in BETS:
            _embed(getattr(race.bets, name), arrays[name], place, True)
        wealth = arrays["wealth"][..., at[:, None], at, :]
        race.bets.wealth[..., place[at][:, None], place[at], :] = wealth
    weight = np.minimum(arrays["runs"], WEIGHT).max(-1, keepdims=True)
    mean, alive = arrays["mean"][..., at], race.alive[..., place[at]]
    usual = (mean * alive).sum(-1, keepdims=True) / np.maximum(alive.sum(-1, keepdims=True), 1)
    race.total += weight * usual
    race.total[..., place[at]] = weight * mean


def _pots(new: Floats, earlier: Floats, place: Ints) -> Floats:
    """Log evidence (..., K) to start from, by the rule above."""
    least = np.minimum(earlier.min(-1, keepdims=True), 0.0)
    found = np.broadcast_to(least, new.shape).copy()
    found[..., place] = earlier
    return found


def _embed(target: Floats, source: NDArray[Any], place: Ints, pairs: bool) -> None:
    at = np.flatnonzero(place >= 0)
    to = place[at]
    if pairs:
        target[..., to[:, None], to] = source[..., at[:, None], at]
    else:
        target[..., to] = source[..., at]
