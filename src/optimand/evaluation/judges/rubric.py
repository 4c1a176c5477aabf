"""A language model grades one output by a rubric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_scale
from optimand.core.keys import seed_from
from optimand.core.model import Client, Request, object_schema
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.asking import Ask, Use, audited, judgement, put, require_share
from optimand.evaluation.judges.common import fingerprint, settled_score
from optimand.evaluation.judges.options import check_decoding, check_options
from optimand.evaluation.judges.prompts import fence, messages, template_hash

__all__ = ["Rubric"]


@dataclass
class Rubric:
    """The grade of an output by `rubric`, a whole number of `scale` mapped linearly to [0, 1].

    `explain` asks for the reasons, which become the feedback. With probability `audit` the
    question is asked again, for the consistency readout only. A failed run is 0 without a call.
    """

    client: Client
    rubric: str
    scale: tuple[int, int] = (1, 5)
    explain: bool = True
    show_target: bool = True
    temperature: float | None = None
    max_tokens: int | None = None
    audit: float = field(default=0.1, compare=False)
    name: str = "rubric"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)
        check_decoding(self)
        # A list from a file is the same scale.
        self.scale = need_scale(self.scale, f"judge {self.name!r}: scale", whole=True)
        if not self.rubric.strip():
            raise InputError(f"judge {self.name!r}: the rubric is empty. Say what counts.")
        require_share(self.name, self.audit)

    def fingerprint(self) -> str:
        return fingerprint(self, template_hash("rubric"))

    async def score(self, example: Example, record: Record, seed: int) -> Judgement:
        if settled := settled_score(record):
            return settled
        asks = [await self._ask(example, record, seed, "outcome")]
        if asks[0].value is not None and audited(self.audit, seed):
            asks.append(await self._ask(example, record, seed, "repeat"))
        return judgement(asks)

    async def _ask(self, example: Example, record: Record, seed: int, use: Use) -> Ask:
        low, high = self.scale
        texts = {
            "task": as_text(example.input),
            "reference": as_text(example.target) if self.show_target else "",
            "answer": as_text(record.output),
        }
        chat = messages(
            "rubric",
            rubric=self.rubric,
            low=low,
            high=high,
            explain=self.explain,
            mark=fence(*texts.values()),
            **texts,
        )
        request = Request(
            chat,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=seed_from("judge", seed, use),
            schema=self._schema(),
        )

        def read(parsed: Any) -> tuple[float, str]:
            grade = parsed["score"]
            if type(grade) is not int or not low <= grade <= high:
                raise ValueError(grade)
            return (grade - low) / (high - low), str(parsed.get("reasoning", ""))

        return await put(self.client, request, read, use)

    def _schema(self) -> dict[str, Any]:
        low, high = self.scale
        grade = {"type": "integer", "minimum": low, "maximum": high}
        reasons = {"reasoning": {"type": "string"}} if self.explain else {}
        return object_schema({**reasons, "score": grade})
