"""What a log says about the runs that wrote it: versions, order, limits, rule, judge, examples."""

from __future__ import annotations

import platform
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from optimand.core.action import Strategy
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.example import endless
from optimand.core.keys import canonical, content_hash
from optimand.core.store import Event
from optimand.core.task import Judge, Task

__all__ = ["example_events", "own_version", "session", "stopping_line"]

CHUNK = 200
MOST = 20_000_000
"""Characters of examples that a log takes, so that a report can show them; later ones are not
kept. They are written once per store, compressed, whatever the number of studies."""


def own_version() -> str:
    """The version of optimand, "unknown" where it is not installed."""
    try:
        return version("optimand")
    except PackageNotFoundError:
        return "unknown"


def session(
    task: Task, candidates: Sequence[Candidate], rule: Strategy, budget: Budget | None
) -> dict[str, Any]:
    """What one call of `pick` adds to a log that its settings do not say, as plain JSON."""
    clients: Mapping[str, Any] = getattr(task, "clients", {})
    return {
        "version": own_version(),
        "python": platform.python_version(),
        "order": [c.id for c in candidates],
        "names": {c.id: c.name for c in candidates},
        "budget": (budget or Budget()).limits(),
        "rule": _options(rule),
        "line": stopping_line(rule, len(candidates)),
        "judge": _judge(task.judge, clients),
        "models": {name: client.name for name, client in clients.items()},
        "prices": {name: client.prices for name, client in clients.items() if _priced(client)},
        "examples": {name: len(split) for name, split in task.splits.items() if not endless(split)},
    }


def stopping_line(rule: Strategy, arms: int) -> float | None:
    """Evidence in nats at which this rule gives a candidate up; None where it stops otherwise."""
    say: Callable[[int], float | None] | None = getattr(rule, "stopping_line", None)
    return say(arms) if say is not None else None


def _options(value: Any) -> dict[str, Any]:
    """The plain options of a strategy, nested ones too."""
    found: dict[str, Any] = {}
    for f in fields(value) if is_dataclass(value) else ():
        option = getattr(value, f.name)
        if option is None or isinstance(option, str | int | float):
            found[f.name] = option
        elif is_dataclass(option):
            found |= _options(option)
    return found


def _judge(judge: Judge | None, clients: Mapping[str, Any]) -> dict[str, Any] | None:
    """The judge as a study file writes it, or as much as can be said of it."""
    if judge is None:
        return None
    from optimand.evaluation.judges.registry import judge_to

    try:
        return judge_to(judge, clients)
    except InputError:
        return {"type": judge.name, "kind": judge.kind}


def _priced(client: Any) -> bool:
    return bool(getattr(client, "prices", ""))


def example_events(task: Task, known: Collection[str]) -> Iterator[Event]:
    """The task's examples, in chunks, without those whose keys are `known`.

    Examples without end are not kept, nor is what goes beyond MOST characters.
    """
    size = 0
    for name, split in task.splits.items():
        for start in range(0, 0 if endless(split) else len(split), CHUNK):
            chunk = split[start : start + CHUNK]
            key = content_hash("examples", [example.key for example in chunk])
            rows = [[e.id, e.input, e.target, list(e.tags)] for e in chunk]
            size += len(canonical(rows))
            if size > MOST:
                return
            if key not in known:
                yield Event("examples", {"split": name, "rows": rows}, key)
