"""A language model says which of two outputs is better."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_one_of
from optimand.core.keys import seed_from
from optimand.core.model import Client, Request, object_schema
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.asking import (
    Ask,
    Slot,
    Use,
    audited,
    judgement,
    put,
    require_share,
)
from optimand.evaluation.judges.common import fingerprint, settled_pair
from optimand.evaluation.judges.options import check_decoding, check_options
from optimand.evaluation.judges.prompts import fence, messages, template_hash

__all__ = ["Pairwise"]

_CRITERIA = "Which answer does the task more correctly and more completely?"


@dataclass
class Pairwise:
    """Which of two outputs is better by `criteria`: A, B or a tie.

    `order` "random" asks once, in an order drawn from the seed; "both" asks in both orders, and
    disagreement is a tie (twice the cost). With probability `audit` the question is also asked
    swapped or again; these answers feed the consistency readout and never the outcome. `explain`
    asks for the reasons, which become the feedback. Failed runs and equal outputs cost no call.
    """

    client: Client
    criteria: str = _CRITERIA
    order: Literal["random", "both"] = "random"
    ties: bool = True
    explain: bool = False
    show_target: bool = True
    temperature: float | None = None
    max_tokens: int | None = None
    audit: float = field(default=0.1, compare=False)
    name: str = "pairwise"
    kind: Literal["pair"] = field(default="pair", init=False)
    needs_outputs: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_options(self)
        check_decoding(self)
        need_one_of(self.order, ("random", "both"), f"judge {self.name!r}: order")
        if not self.criteria.strip():
            raise InputError(f"judge {self.name!r}: the criteria are empty. Say what counts.")
        require_share(self.name, self.audit)

    def fingerprint(self) -> str:
        return fingerprint(self, template_hash("pairwise"))

    async def compare(self, example: Example, a: Record, b: Record, seed: int) -> Judgement:
        texts = {"a": as_text(a.output), "b": as_text(b.output)}
        lengths = [len(texts["a"]), len(texts["b"])]
        if settled := settled_pair(a, b):
            return settled
        drawn: Slot = "a" if seed_from("order", seed) % 2 else "b"
        slots: tuple[Slot, ...] = (drawn,) if self.order == "random" else ("a", "b")
        asks = list(
            await asyncio.gather(*(self._ask(example, texts, s, seed, "outcome") for s in slots))
        )
        if all(ask.value is not None for ask in asks) and audited(self.audit, seed):
            asks.append(await self._audit(example, texts, drawn, seed))
        return judgement(asks, {"lengths": lengths}, (a.candidate, b.candidate))

    async def _audit(self, example: Example, texts: dict[str, str], drawn: Slot, seed: int) -> Ask:
        """Asks swapped or again, as the seed decides; with both orders asked, always again."""
        if self.order == "both" or seed_from("audit kind", seed) % 2:
            return await self._ask(example, texts, drawn, seed, "repeat")
        return await self._ask(example, texts, "b" if drawn == "a" else "a", seed, "swap")

    async def _ask(
        self, example: Example, texts: dict[str, str], first: Slot, seed: int, use: Use
    ) -> Ask:
        second: Slot = "b" if first == "a" else "a"
        task = as_text(example.input)
        reference = as_text(example.target) if self.show_target else ""
        chat = messages(
            "pairwise",
            criteria=self.criteria,
            task=task,
            reference=reference,
            first=texts[first],
            second=texts[second],
            ties=self.ties,
            explain=self.explain,
            mark=fence(task, reference, *sorted(texts.values())),
        )
        choices = ("A", "B", "tie") if self.ties else ("A", "B")
        request = Request(
            chat,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=seed_from("judge", seed, use, first),
            schema=_schema(choices) if self.explain else None,
            choices=None if self.explain else choices,
        )

        def read(parsed: Any) -> tuple[float, str]:
            choice, reasons = _parts(parsed)
            value = {"A": 1.0, "B": 0.0, "tie": 0.5}[choice] if choice in choices else None
            if value is None:
                raise ValueError(choice)
            return (value if first == "a" else 1.0 - value), reasons

        return await put(self.client, request, read, use, first)


def _parts(parsed: Any) -> tuple[str, str]:
    if isinstance(parsed, Mapping):
        return str(parsed["verdict"]), str(parsed.get("reasoning", ""))
    return str(parsed), ""


def _schema(choices: tuple[str, ...]) -> dict[str, Any]:
    verdict = {"type": "string", "enum": list(choices)}
    return object_schema({"reasoning": {"type": "string"}, "verdict": verdict})
