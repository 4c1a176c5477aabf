"""How far a judge can be trusted: order, repeats, ties, length, replies that could not be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from optimand.core.errors import InputError
from optimand.core.record import Comparison, Judgement
from optimand.core.usercode import shown

__all__ = ["Consistency", "Rate", "readout"]

Ask = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` out of `count`."""

    hits: int = 0
    count: int = 0

    @property
    def value(self) -> float | None:
        """The share in [0, 1], None if nothing was counted."""
        return self.hits / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % score interval (Wilson 1927); [0, 1] if nothing was counted."""
        if not self.count:
            return 0.0, 1.0
        z, n, p = 1.959963984540054, self.count, self.hits / self.count
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        if not self.count:
            return "not measured"
        if self.count == 1:
            return f"{self.hits} of 1 (a single case says nothing about the rate)"
        low, high = self.interval
        share = 100 * self.hits / self.count
        return (
            f"{share:.1f} % ({self.hits} of {self.count}, "
            f"95 % interval {100 * low:.1f} to {100 * high:.1f} %)"
        )


def _rate(outcomes: Iterable[bool]) -> Rate:
    seen = list(outcomes)
    return Rate(sum(seen), len(seen))


@dataclass(frozen=True, slots=True)
class Consistency:
    """Readout of one judge. Each rate carries its count.

    order_flips: the answer changed when the outputs changed places. repeats: asked again, the
    answer was the same. ties: judgements that are ties. first_slot: decided answers that favour
    the output shown first (one half is fair). longer: decided judgements won by the longer output.
    unreadable: replies that were no verdict even after a repair.
    """

    order_flips: Rate
    repeats: Rate
    ties: Rate
    first_slot: Rate
    longer: Rate
    unreadable: Rate

    def sentences(self) -> list[str]:
        """One sentence for each rate that was measured."""
        texts = {
            "The verdict flipped with the order of the outputs in": self.order_flips,
            "Asked again, the judge gave the same answer in": self.repeats,
            "Judgements that were ties:": self.ties,
            "The output shown first was preferred in": self.first_slot,
            "The longer output won in": self.longer,
            "Replies that could not be read as a verdict:": self.unreadable,
        }
        return [f"{text} {rate}." for text, rate in texts.items() if rate.count]

    def __str__(self) -> str:
        return "\n".join(self.sentences()) or "Nothing was measured about this judge."


def readout(items: Iterable[Judgement | Comparison | Mapping[str, Any]]) -> Consistency:
    """The readout from judgements, comparisons, or the `details` of either.

    Items without details (settled without asking) are skipped. Raises InputError for another item.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(f"items are {shown(items)}. Give a list of judgements or comparisons.")
    details = [d for item in items for d in _details(item)]
    asks = [ask for d in details for ask in d.get("asks", ())]
    pairs = [d for d in details if "lengths" in d and d.get("value") is not None]
    decided = [ask for ask in asks if ask.get("first") and ask["value"] in (0.0, 1.0)]
    return Consistency(
        order_flips=_rate(x["value"] != y["value"] for d in details for x, y in _swapped(d)),
        repeats=_rate(x["value"] == y["value"] for d in details for x, y in _repeated(d)),
        ties=_rate(d["value"] == 0.5 for d in pairs),
        first_slot=_rate((ask["value"] == 1.0) == (ask["first"] == "a") for ask in decided),
        longer=_rate(
            (d["value"] > 0.5) == (d["lengths"][0] > d["lengths"][1])
            for d in pairs
            if d["value"] != 0.5 and d["lengths"][0] != d["lengths"][1]
        ),
        unreadable=_rate(ask["status"] == "invalid" for ask in asks),
    )


def _details(item: Judgement | Comparison | Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if not isinstance(item, Judgement | Comparison | Mapping):
        raise InputError(f"an item is {shown(item)}. It must be a judgement or a comparison.")
    details = item if isinstance(item, Mapping) else item.details
    # A preference made of two scores carries the details of both.
    return list(details.get("parts", [details])) if details else []


def _read(details: Mapping[str, Any]) -> list[Ask]:
    return [ask for ask in details.get("asks", ()) if ask["value"] is not None]


def _swapped(details: Mapping[str, Any]) -> Iterator[tuple[Ask, Ask]]:
    """The deciding answer with the answer in the other order, whether that decided or audited."""
    asks = [ask for ask in _read(details) if ask["use"] != "repeat"]
    for other in asks[1:]:
        if other["first"] != asks[0]["first"]:
            yield asks[0], other


def _repeated(details: Mapping[str, Any]) -> Iterator[tuple[Ask, Ask]]:
    """The deciding answer with the answer to the same question asked again."""
    asks = _read(details)
    for again in (ask for ask in asks if ask["use"] == "repeat"):
        for ask in asks:
            if ask["use"] == "outcome" and ask["first"] == again["first"]:
                yield ask, again
