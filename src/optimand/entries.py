"""What a run of `pick` is made of, from what the user gave: candidates and the strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from optimand.core.action import Strategy
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.task import Task
from optimand.core.usercode import shown

__all__ = ["entries_of", "rule_for"]


def entries_of(given: Sequence[Any] | Mapping[str, Any], task: Task) -> list[Candidate]:
    """The candidates in what `pick` was given; raises InputError for what cannot run on `task`."""
    if not isinstance(given, Iterable):
        raise InputError(f"candidates are {shown(given)}: give a list of them")
    if isinstance(given, Mapping):
        entries = [
            _named(_candidate(value, i), name) for i, (name, value) in enumerate(given.items())
        ]
        named = [True] * len(entries)
    else:
        values = list(given)
        entries = [_candidate(value, i) for i, value in enumerate(values)]
        named = [isinstance(value, Candidate) for value in values]
    if len(entries) < 2:
        raise InputError(f"{len(entries)} candidate(s) given: picking needs at least 2")
    _check(entries, task)
    return _told_apart(entries, named)


def _check(entries: Sequence[Candidate], task: Task) -> None:
    """Raises InputError for candidates that are the same, or that the task cannot run."""
    seen: dict[str, str] = {}
    for entry in entries:
        try:
            entry.id  # noqa: B018
        except InputError as error:
            raise InputError(f"candidate {shown(entry.name)}: {error}") from None
        if entry.id in seen:
            first = shown(seen[entry.id])
            raise InputError(f"candidates {first} and {shown(entry.name)} are the same")
        seen[entry.id] = entry.name
        complaints = task.check(entry.artifact)
        if complaints:
            raise InputError(f"candidate {shown(entry.name)}: {'; '.join(complaints)}")


def _told_apart(entries: Sequence[Candidate], named: Sequence[bool]) -> list[Candidate]:
    """The candidates under names that differ: those that the user gave must, others are made to.

    A name is what the result, a baseline and costs speak of.
    """
    taken: set[str] = set()
    for entry, own in zip(entries, named, strict=True):
        if own and not entry.name.strip():
            raise InputError(f"a candidate's name is {shown(entry.name)}. Give each one a name.")
        if own and entry.name in taken:
            raise InputError(f"two candidates are named {shown(entry.name)}. Names must differ.")
        taken |= {entry.name} if own else set()
    found = []
    for entry, own in zip(entries, named, strict=True):
        name, number = entry.name, 1
        while not own and name in taken:
            number += 1
            name = f"{entry.name} ({number})"
        taken.add(name)
        found.append(entry if name == entry.name else replace(entry, name=name))
    return found


def _candidate(value: Any, index: int) -> Candidate:
    if isinstance(value, Candidate):
        return value
    make = getattr(value, "candidate", None)
    if callable(make):
        made = make(f"policy {index + 1}")
        if isinstance(made, Candidate):
            return made
    speaks = isinstance(value, str) and value.strip()
    return Candidate(Artifact({"value": value}), value if speaks else shown(value))


def _named(entry: Candidate, name: Any) -> Candidate:
    if not isinstance(name, str):
        raise InputError(f"candidates have the name {shown(name)}: names must be text")
    return Candidate(entry.artifact, name)


def rule_for(
    given: Strategy | str | Mapping[str, Any] | None,
    entries: Sequence[Candidate],
    task: Task,
    confidence: float | None,
    baseline: str | None,
) -> Strategy:
    """The strategy that was given or named, or the default for the task, with the baseline.

    One that was given must be as strict as `confidence` says; None leaves that to it.
    """
    from optimand.strategies.pick.specs import strategy_from, with_baseline

    pairs = task.judge is not None and task.judge.kind == "pair"
    names = [c.name for c in entries]
    if given is None or isinstance(given, str | Mapping):
        delta = 0.05 if confidence is None else 1.0 - confidence
        given = strategy_from(given, names, pairs=pairs, delta=delta)
    elif confidence is not None:
        _check_level(given, confidence)
    split = getattr(given, "split", "all")
    if isinstance(split, str) and split not in task.splits:
        have = ", ".join(map(repr, task.splits))
        raise InputError(f"strategy {given.name!r}: no split {shown(split)}; the task has {have}.")
    return with_baseline(given, baseline, entries)


def _check_level(rule: Strategy, confidence: float) -> None:
    """Raises InputError where a strategy's own error level is not the one that is asked for."""
    from optimand.strategies.pick.duel import Duel
    from optimand.strategies.pick.halving import ScoreHalving
    from optimand.strategies.pick.race import ScoreRace

    if isinstance(rule, ScoreRace | ScoreHalving):
        delta = rule.delta
    elif isinstance(rule, Duel):
        delta = rule.options.delta
    else:
        return
    if abs(delta - (1.0 - confidence)) > 1e-9:
        raise InputError(
            f"confidence is {confidence:.12g}, and the strategy's delta is {delta:.12g}. Together "
            f"they must be 1: confidence={1.0 - delta:.12g}, or delta={1.0 - confidence:.12g}."
        )
