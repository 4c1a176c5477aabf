"""What a controller's choices cost beside the best operator in hindsight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Account", "account"]


@dataclass(frozen=True)
class Account:
    """One operator's account. loss: gain that its steps left on the table, in all (see `account`).

    gain: of the best score on "val", in all; rollouts: spent in its steps.
    """

    operator: str
    steps: int
    gain: float
    rollouts: float
    loss: float


def account(steps: Sequence[Mapping[str, float | str]]) -> list[Account]:
    """Accounts by operator, largest loss first, from steps with "operator", "gain", "rollouts".

    The opportunity loss of a step is the value of the best action minus the value of the one taken
    (OptiCom, theory section). Values are not seen, so the operators' mean gains over the whole run
    stand for them, each with one more step that gains nothing: an estimate in hindsight, which
    cannot know what an operator would have done at another time.
    """
    by: defaultdict[str, list[Mapping[str, float | str]]] = defaultdict(list)
    for step in steps:
        by[str(step["operator"])].append(step)
    gain = {name: sum(float(s["gain"]) for s in mine) for name, mine in by.items()}
    mean = {name: gain[name] / (len(mine) + 1) for name, mine in by.items()}
    best = max(mean.values(), default=0.0)
    found = [
        Account(
            name,
            len(mine),
            gain[name],
            sum(float(s["rollouts"]) for s in mine),
            len(mine) * (best - mean[name]),
        )
        for name, mine in by.items()
    ]
    return sorted(found, key=lambda a: (-a.loss, a.operator))
