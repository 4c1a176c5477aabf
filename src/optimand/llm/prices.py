"""What calls cost, from the price list that comes with genai-prices, or from the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from optimand.core.errors import InputError
from optimand.core.record import Usage

__all__ = ["Price", "Pricing"]


_MOST = 1e12


@dataclass(frozen=True, slots=True)
class Price:
    """The user's own price, in dollars per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            value = getattr(self, name)
            good = isinstance(value, int | float) and not isinstance(value, bool)
            if not good or not 0 <= value <= _MOST:
                raise InputError(
                    f"price: {name} is {value!r}. Give dollars per million tokens, from 0 to "
                    f"{_MOST:g}."
                )


class Pricing:
    """From tokens to the usage of one call of `model` at `url`, by the user's `price` if given.

    The price list in force at the first call stays that to the end. A price
    that is not known counts as one `unpriced` call, never as 0 dollars. Nothing is fetched.
    """

    def __init__(self, model: str, url: str, price: Price | None = None) -> None:
        self._model = model
        self._url = url
        self._price = price
        self._list: Any = None

    @property
    def source(self) -> str:
        """Which prices these are, to be kept with a run."""
        if self._price is not None:
            return f"given: {self._price.input:g} in, {self._price.output:g} out per million tokens"
        from importlib.metadata import version

        updated = self._prices().timestamp if self._prices().from_auto_update else None
        later = f", updated {updated.isoformat()}" if updated else ""
        return f"genai-prices {version('genai-prices')}{later}"

    def usage(self, inputs: int, outputs: int, cached: int = 0) -> Usage:
        """The usage of one call; `cached` of the input tokens were read from a cache."""
        if self._price is not None:
            usd = (inputs * self._price.input + outputs * self._price.output) / 1e6
            return Usage(1, inputs, outputs, usd)
        from genai_prices import Usage as Tokens

        tokens = Tokens(
            input_tokens=inputs, output_tokens=outputs, cache_read_tokens=cached or None
        )
        try:
            found = self._prices().calc(tokens, self._model, None, self._url, None)
        except (LookupError, ValueError, ArithmeticError):
            return Usage(1, inputs, outputs, unpriced=1)
        return Usage(1, inputs, outputs, float(found.total_price))

    def _prices(self) -> Any:
        """The list, loaded at the first call: that takes a moment."""
        if self._list is None:
            from genai_prices.data_snapshot import get_snapshot

            self._list = get_snapshot()
        return self._list
