"""From a strategy's name and options, as a study file gives them, to a strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

import numpy as np

from optimand.core.action import Strategy
from optimand.core.artifact import Candidate
from optimand.core.errors import InputError
from optimand.core.given import need_whole
from optimand.core.usercode import shown
from optimand.statistics.duel import DuelOptions
from optimand.statistics.glr import Glr
from optimand.statistics.tracking import Tracking
from optimand.strategies.pick.baseline import baseline_index
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.duel_costs import given_costs
from optimand.strategies.pick.halving import ScoreHalving
from optimand.strategies.pick.race import ScoreRace

__all__ = ["strategy_from", "with_baseline"]

OPTIONS = {
    "race": (),
    "halving": ("rollouts",),
    "duel": ("space", "features", "assume", "check", "costs"),
    "llm-po": ("space", "features", "tracking", "threshold"),
}
SCORES = ("race", "halving")
CHOICES = ("space", "assume", "tracking", "threshold")


def strategy_from(
    given: str | Mapping[str, Any] | None,
    names: Sequence[str],
    *,
    pairs: bool,
    delta: float,
    indifference: float = 0.0,
) -> Strategy:
    """The strategy that `given` names: "race" or "halving" (scores), "duel" or "llm-po" (pairs).

    `names`: the candidates, in order; features and costs are looked up by them. `pairs`: whether
    the judge compares pairs. None gives the default for the judge. Raises InputError for a name,
    option or value that is not known or does not fit.
    """
    options: dict[str, Any] = {"type": given} if isinstance(given, str) else dict(given or {})
    kind = options.pop("type", "duel" if pairs else "race")
    _check(kind, options, pairs)
    if kind == "race":
        return ScoreRace(delta, indifference)
    if kind == "halving":
        return _halving(options.get("rollouts"), len(names), delta, indifference)
    options["features"] = _features(options, names)
    if kind == "duel":
        costs = options.pop("costs", "equal")
        given_costs(costs, names)
        try:
            plain = DuelOptions(delta=delta, indifference=indifference, **options)
        except ValueError as error:
            raise InputError(f"strategy 'duel': {error}") from None
        return Duel(plain, costs=costs)
    if indifference:
        raise InputError("strategy 'llm-po' knows no indifference; use 'duel'")
    sampler = Tracking(options.pop("tracking", "C"))
    stopper = Glr(options.pop("threshold", "kaufmann-koolen"))
    llm_po = DuelOptions(delta=delta, sampler=sampler, stopper=stopper, **options)
    return Duel(llm_po, name="llm-po")


def _halving(rollouts: Any, size: int, delta: float, indifference: float) -> ScoreHalving:
    need_whole(rollouts, "strategy 'halving': rollouts", size)
    if indifference:
        raise InputError("strategy 'halving' knows no indifference; use 'race'")
    return ScoreHalving(rollouts, delta)


def with_baseline(
    rule: Strategy, baseline: str | None, candidates: Sequence[Candidate]
) -> Strategy:
    """The same strategy with this baseline, or with its own one where `baseline` is None.

    Raises InputError where no candidate, or several, have the name, or the strategy takes none.
    """
    if baseline is not None:
        known: Any = rule
        takes = is_dataclass(known) and "baseline" in {f.name for f in fields(known)}
        if not takes or rule.name == "llm-po":
            raise InputError(f"strategy {rule.name!r} knows no baseline; use 'race' or 'duel'")
        rule = replace(known, baseline=baseline)
    baseline_index(candidates, getattr(rule, "baseline", None))
    return rule


def _check(kind: Any, options: Mapping[str, Any], pairs: bool) -> None:
    if not isinstance(kind, str) or kind not in OPTIONS:
        raise InputError(f"no strategy {shown(kind)}; there is {', '.join(OPTIONS)}.{_hint(kind)}")
    if pairs == (kind in SCORES):
        fit = "'duel' or 'llm-po'" if pairs else "'race' or 'halving'"
        raise InputError(f"strategy {kind!r} does not fit this judge; use {fit}, or leave it out")
    hints = {**get_type_hints(DuelOptions), **get_type_hints(Glr)}
    hints["tracking"] = get_type_hints(Tracking)["rule"]
    for name, value in options.items():
        if name not in OPTIONS[kind]:
            have = ", ".join(OPTIONS[kind]) or "none"
            raise InputError(f"strategy {kind!r} has no option {shown(name)}. It has: {have}.")
        allowed = get_args(hints[name]) if name in CHOICES else ()
        if allowed and not (isinstance(value, str) and value in allowed):
            raise InputError(f"strategy {kind!r}: {name} is {shown(value)}; use one of {allowed}.")


def _hint(kind: Any) -> str:
    close = get_close_matches(kind if isinstance(kind, str) else "", OPTIONS, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _features(options: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The table (K, d) of a linear space, from a mapping of names to rows of numbers."""
    given, space = options.get("features"), options.get("space")
    if (space == "linear") != (given is not None):
        raise InputError("'features' go with space: linear, and only with it")
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InputError("'features' must be a mapping from each policy's name to its numbers")
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(f"no features for {', '.join(map(repr, missing))}")
    try:
        table = np.array([given[name] for name in names], float)
    except (TypeError, ValueError, OverflowError):
        table = np.zeros(0)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise InputError("'features' must give every policy the same number of finite numbers")
    return table
