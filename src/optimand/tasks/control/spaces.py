"""Spaces of Gymnasium: told in words, and what of a policy's answer is an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from optimand.core.errors import InputError

__all__ = ["NoAction", "action_of", "random_source", "space_in_words"]

SHOWN = 12
"""Bounds of so many entries are told one by one."""


class NoAction(Exception):
    """What a policy answered is no action of the environment; the text says why."""


def space_in_words(space: Any) -> str:
    """The space for a programmer: form, type and bounds; nested ones too.

    A kind that is not known is told by its own repr.
    """
    tell = _TELL.get(type(space).__name__)
    return tell(space) if tell else repr(space)


def _box(space: Any) -> str:
    form = "x".join(map(str, space.shape)) or "a single number"
    low, high = np.ravel(space.low), np.ravel(space.high)
    if len(low) and np.all(low == low[0]) and np.all(high == high[0]):
        bounds = f"each from {low[0]:g} to {high[0]:g}"
    elif len(low) <= SHOWN:
        pairs = zip(low, high, strict=True)
        bounds = "from " + ", ".join(f"[{i}] {a:.4g} to {b:.4g}" for i, (a, b) in enumerate(pairs))
    else:
        bounds = f"from {low.min():.4g} to {high.max():.4g}"
    return f"an array of shape ({form}), {space.dtype}, {bounds}"


def _discrete(space: Any) -> str:
    first = int(space.start)
    return f"a whole number from {first} to {first + int(space.n) - 1}"


def _multi_discrete(space: Any) -> str:
    first = np.ravel(getattr(space, "start", np.zeros_like(space.nvec)))
    pairs = zip(first, np.ravel(space.nvec), strict=True)
    return "whole numbers: " + ", ".join(
        f"[{i}] {a} to {a + n - 1}" for i, (a, n) in enumerate(pairs)
    )


def _parts(space: Any) -> str:
    return "a mapping: " + "; ".join(f"{n!r}: {space_in_words(s)}" for n, s in space.spaces.items())


_TELL: dict[str, Callable[[Any], str]] = {
    "Box": _box,
    "Discrete": _discrete,
    "MultiDiscrete": _multi_discrete,
    "MultiBinary": lambda space: f"an array of shape {space.shape} of 0 and 1",
    "Dict": _parts,
    "Tuple": lambda space: "a tuple: " + "; ".join(map(space_in_words, space.spaces)),
    "Text": lambda space: f"a text of at most {space.max_length} characters",
    "MissionSpace": lambda space: "a text",  # noqa: ARG005
}


def action_of(space: Any, answer: Any) -> Any:
    """The action that a policy's answer, plain JSON data, stands for. Raises NoAction.

    Numbers of a Box are cut to its bounds; whole numbers may be written 1.0 but not 0.7. Raises
    InputError for a space that is none of Box, Discrete, MultiDiscrete and MultiBinary.
    """
    kind = type(space).__name__
    if kind == "Discrete":
        number = _whole(answer)
        if not space.start <= number < space.start + space.n:
            raise NoAction(f"{number} is no action: it must be {space_in_words(space)}")
        return int(number)
    if kind == "Box":
        return _in_box(space, answer)
    if kind in ("MultiDiscrete", "MultiBinary"):
        numbers = _array(answer, space.shape)
        whole = np.array([_whole(float(n)) for n in numbers.ravel()], dtype=space.dtype)
        found = whole.reshape(space.shape)
        if not space.contains(found):
            raise NoAction(f"{answer!r} is no action: it must be {space_in_words(space)}")
        return found
    raise InputError(
        f"the environment's actions are {space!r}: policies can act by Box, Discrete, "
        "MultiDiscrete and MultiBinary. Wrap the environment, so that its actions are one of these."
    )


def _in_box(space: Any, answer: Any) -> Any:
    numbers = _array(answer, space.shape)
    if np.issubdtype(space.dtype, np.integer) and not np.all(numbers == np.round(numbers)):
        raise NoAction(f"{_short(answer)} are no whole numbers, as actions must be")
    return np.clip(numbers, space.low, space.high).astype(space.dtype)


def _array(answer: Any, shape: tuple[int, ...]) -> Any:
    try:
        numbers = np.asarray(answer, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise NoAction(f"the policy answered {_short(answer)}, which are no numbers") from None
    if numbers.size != int(np.prod(shape)):
        raise NoAction(
            f"the policy answered {numbers.size} numbers, and an action has {int(np.prod(shape))}"
        )
    if not np.all(np.isfinite(numbers)):
        raise NoAction(f"the policy answered {_short(answer)}: not all are finite numbers")
    return numbers.reshape(shape)


def _whole(answer: Any) -> int:
    value = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise NoAction(f"the policy answered {_short(answer)}, which is no whole number")


def _short(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 80 else f"{text[:80]}..."


def random_source(space: Any) -> str:
    """A policy that draws its actions evenly, as a program. Raises InputError as `action_of`."""
    kind, draw = type(space).__name__, ""
    if kind == "Discrete":
        least = int(space.start)
        draw = f"random.randint({least}, {least + int(space.n) - 1})"
    elif kind in ("MultiDiscrete", "MultiBinary"):
        size = np.ravel(space.nvec) if kind == "MultiDiscrete" else np.full(space.shape, 2).ravel()
        first = np.ravel(getattr(space, "start", np.zeros_like(size)))
        whole = [(int(a), int(a + n - 1)) for a, n in zip(first, size, strict=True)]
        draw = f"[random.randint(a, b) for a, b in {whole}]"
    elif kind == "Box":
        bounds = [_finite(a, b) for a, b in zip(space.low.ravel(), space.high.ravel(), strict=True)]
        even = len(set(bounds)) == 1
        many = f"({bounds[0]},) * {len(bounds)}" if even else repr(bounds)
        take = "random.randint" if np.issubdtype(space.dtype, np.integer) else "random.uniform"
        draw = f"[{take}(a, b) for a, b in {many}]"
    else:
        action_of(space, None)
    return (
        "import random\n\n\nclass Policy:\n    def act(self, observation):\n"
        f"        return {draw}\n"
    )


def _finite(low: Any, high: Any) -> tuple[float, float]:
    """Bounds for even draws; where there is none, one unit on that side."""
    a = float(low) if np.isfinite(low) else (float(high) - 2 if np.isfinite(high) else -1.0)
    b = float(high) if np.isfinite(high) else (float(low) + 2 if np.isfinite(low) else 1.0)
    return (int(a), int(b)) if a.is_integer() and b.is_integer() else (a, b)
