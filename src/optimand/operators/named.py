"""Operators that a controller may choose from, by name; made of the pieces that methods use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optimand.core.proposal import Operator
from optimand.operators.combine import combine
from optimand.operators.critique import critique, studied
from optimand.operators.edit import edit, instructed

__all__ = ["OPERATORS", "Named", "invented"]


@dataclass(frozen=True)
class Named:
    """An operator with what a controller must know of it.

    `about`: what it does and when it helps, in a sentence. `parents`: how many it needs. `looks`:
    whether it needs the parents' outputs on training examples. `instruction`: the words of an
    invented one, "" for the others.
    """

    name: str
    about: str
    operator: Operator
    parents: int = 1
    looks: bool = True
    instruction: str = ""


_LIST = (
    Named(
        "revise", "rewrite after a look at failures; the safe default", edit("edit", name="revise")
    ),
    Named(
        "repair",
        "find the cause of failures first, then rewrite; for errors that keep coming back",
        studied(critique(scope="joint"), edit("edit", name="repair")),
    ),
    Named(
        "small-change",
        "change one sentence and nothing else; for polishing what is nearly right",
        edit("small_change", name="small-change"),
    ),
    Named(
        "perturb",
        "try one bold change of approach; against stagnation",
        edit("perturb", name="perturb", temperature=1.0),
    ),
    Named(
        "extrapolate",
        "continue the trend of past solutions and their scores",
        edit("extrapolate", name="extrapolate", temperature=1.0),
        looks=False,
    ),
    Named(
        "combine",
        "join the strengths of two candidates that succeed on different examples",
        combine(),
        parents=2,
    ),
)
OPERATORS: Mapping[str, Named] = {one.name: one for one in _LIST}
"""By name, in a fixed order."""


def invented(name: str, about: str, instruction: str) -> Named:
    """An operator that a model thought of."""
    return Named(name, about, instructed(name, instruction), instruction=instruction)
