"""Typed settings that a search may change: numbers in a range, and choices."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from optimand.core.errors import InputError

__all__ = ["Choice", "Integer", "Number", "Setting", "setting_from"]


class Setting(Protocol):
    """One setting: `cast` gives (value, "") or (None, complaint); `draw` a random value."""

    def cast(self, value: Any) -> tuple[Any, str]: ...

    def draw(self, rng: random.Random) -> Any: ...

    def describe(self) -> str: ...


@dataclass(frozen=True)
class Number:
    """A real number in [low, high]; on a log scale with `log`."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"a number needs finite low < high, not {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise InputError(f"a log scale needs low > 0, not {self.low}")

    def cast(self, value: Any) -> tuple[Any, str]:
        """Numbers, and texts that read as one."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None, f"not a number ({self.describe()})"
        if not self.low <= number <= self.high:
            return None, f"{number:g} is outside the range ({self.describe()})"
        return number, ""

    def draw(self, rng: random.Random) -> float:
        """Uniform on the scale."""
        if self.log:
            return math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return rng.uniform(self.low, self.high)

    def describe(self) -> str:
        """For proposers and errors."""
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Integer:
    """A whole number in [low, high]."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise InputError(f"an integer needs low < high, not {self.low} and {self.high}")

    def cast(self, value: Any) -> tuple[Any, str]:
        """Whole numbers, and texts that read as one."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None, f"not a number ({self.describe()})"
        if not math.isfinite(number) or number != int(number):
            return None, f"{value} is not whole ({self.describe()})"
        if not self.low <= number <= self.high:
            return None, f"{number:g} is outside the range ({self.describe()})"
        return int(number), ""

    def draw(self, rng: random.Random) -> int:
        """Uniform."""
        return rng.randint(self.low, self.high)

    def describe(self) -> str:
        """For proposers and errors."""
        return f"a whole number from {self.low} to {self.high}"


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

    def draw(self, rng: random.Random) -> Any:
        """Uniform."""
        return rng.choice(self.options)

    def describe(self) -> str:
        """For proposers and errors."""
        return "one of " + ", ".join(map(repr, self.options))


def setting_from(name: str, spec: Any) -> Setting:
    """A setting as a study file writes it: a list of options, or {low, high, log | whole}.

    Raises InputError, naming the setting.
    """
    try:
        if isinstance(spec, Number | Integer | Choice):
            return spec
        if isinstance(spec, list | tuple):
            return Choice(tuple(spec))
        if isinstance(spec, Mapping) and {"low", "high"} <= set(spec):
            rest = {k: v for k, v in spec.items() if k not in ("low", "high")}
            if rest.pop("whole", False):
                return Integer(int(spec["low"]), int(spec["high"]))
            log = bool(rest.pop("log", False))
            if not rest:
                return Number(float(spec["low"]), float(spec["high"]), log)
    except (InputError, TypeError, ValueError) as error:
        raise InputError(f"setting {name!r}: {error}") from None
    raise InputError(
        f"setting {name!r}: write a list of options, or low and high (and log: true, whole: true)"
    )
