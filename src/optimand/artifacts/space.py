"""Typed settings that a search may change: numbers in a range, and choices."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from optimand.core.errors import InputError

__all__ = ["Choice", "Number", "Setting", "setting_from"]


class Setting(Protocol):
    """One setting: `cast` gives (value, ""), or (None, complaint); `draw` a uniform value."""

    def cast(self, value: Any) -> tuple[Any, str]: ...

    def describe(self) -> str: ...

    def draw(self, rng: random.Random) -> Any: ...


@dataclass(frozen=True)
class Number:
    """A number in [low, high]; a whole one with `whole`."""

    low: float
    high: float
    whole: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"a number needs finite low < high, not {self.low} and {self.high}")

    def cast(self, value: Any) -> tuple[Any, str]:
        """Numbers, and texts that read as one."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None, f"not a number ({self.describe()})"
        if not self.low <= number <= self.high:
            return None, f"{number:g} is outside the range ({self.describe()})"
        if not self.whole:
            return number, ""
        if number != int(number):
            return None, f"{number:g} is not whole ({self.describe()})"
        return int(number), ""

    def describe(self) -> str:
        """For proposers and errors."""
        kind = "whole number" if self.whole else "number"
        return f"a {kind} from {self.low:g} to {self.high:g}"

    def draw(self, rng: random.Random) -> float:
        """Uniform in the range. Raises ValueError where no whole number lies in it."""
        if self.whole:
            return rng.randint(math.ceil(self.low), math.floor(self.high))
        return rng.uniform(self.low, self.high)


@dataclass(frozen=True)
class Choice:
    """One of a few plain values."""

    options: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise InputError("a choice needs at least two options")

    def cast(self, value: Any) -> tuple[Any, str]:
        """The option that equals the value, or reads the same."""
        for option in self.options:
            if option == value or str(option) == str(value):
                return option, ""
        return None, f"not among the options ({self.describe()})"

    def describe(self) -> str:
        """For proposers and errors."""
        return "one of " + ", ".join(map(repr, self.options))

    def draw(self, rng: random.Random) -> Any:
        """Each option equally often."""
        return rng.choice(self.options)


def setting_from(name: str, spec: Any) -> Setting:
    """A setting as a user writes it: a list of options, or {low, high, whole}.

    Raises InputError, naming the setting.
    """
    try:
        if isinstance(spec, Number | Choice):
            return spec
        if isinstance(spec, list | tuple):
            return Choice(tuple(spec))
        if isinstance(spec, Mapping) and {"low", "high"} <= set(spec) <= {"low", "high", "whole"}:
            return Number(float(spec["low"]), float(spec["high"]), bool(spec.get("whole", False)))
    except (InputError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"setting {name!r}: {error}") from None
    raise InputError(f"setting {name!r}: write a list of options, or low and high, and whole: true")
