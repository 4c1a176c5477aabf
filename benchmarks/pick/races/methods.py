"""The ways to race that are compared, and what each promises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from benchmarks.pick.races.adaptive import kl_lucb, top_two
from benchmarks.pick.races.halving import hyperband, successive_halving
from benchmarks.pick.races.looks import alike, bernstein, drop, every_look, t_bonferroni
from benchmarks.pick.races.ours import everything, our_race
from benchmarks.pick.races.outcome import Method
from benchmarks.pick.races.pruning import wilcoxon

__all__ = ["METHODS", "Promise", "Way"]

Promise = Literal["valid", "for large n", "no promise", "INVALID"]


@dataclass(frozen=True)
class Way:
    """A method by name; a method with a fixed budget gets what our race took on average."""

    name: str
    promise: Promise
    method: Method


METHODS: tuple[Way, ...] = (
    Way("optimand", "valid", our_race),
    Way("everything", "no promise", everything),
    Way("alike, paired t at every look", "INVALID", alike(every_look)),
    Way("alike, paired t, Bonferroni", "for large n", alike(t_bonferroni)),
    Way("alike, empirical Bernstein", "valid", alike(bernstein)),
    Way("dropping, paired t at every look", "INVALID", drop(every_look)),
    Way("dropping, paired t, Bonferroni", "for large n", drop(t_bonferroni)),
    Way("dropping, empirical Bernstein", "valid", drop(bernstein)),
    Way("KL-LUCB", "valid", kl_lucb),
    Way("top-two Thompson, classical", "valid", top_two),
    Way("top-two Thompson, heuristic", "no promise", partial(top_two, proven=False)),
    Way("successive halving", "no promise", successive_halving),
    Way("Hyperband", "no promise", hyperband),
    Way("Wilcoxon pruning", "no promise", wilcoxon),
)
