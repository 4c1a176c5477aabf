"""One field of a JSON output against the target."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text, find_json
from optimand.evaluation.judges.common import accepted, fingerprint, settled_score, verdict
from optimand.evaluation.judges.exact import normalise
from optimand.evaluation.judges.options import check_options

__all__ = ["JsonField"]


def _equal(value: Any, wanted: Any) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        pair = [normalise(v, case=True, punctuation=False, articles=False) for v in (value, wanted)]
        return pair[0] == pair[1]
    # In Python True equals 1; in JSON they are different answers.
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)


@dataclasses.dataclass
class JsonField:
    """1 if the field of the output's JSON equals an accepted answer, texts in any case.

    The accepted answer is the target's field of that name if the target is a mapping, else the
    target, or any member of a target list.
    """

    field: str
    name: str = "json_field"
    kind: Literal["score"] = dataclasses.field(default="score", init=False)

    def __post_init__(self) -> None:
        check_options(self)

    def fingerprint(self) -> str:
        return fingerprint(self)

    def require(self, example: Example) -> None:
        """Raises InputError for an example without a target, or without the field in it."""
        self._answers(example)

    def score(self, example: Example, record: Record, seed: int) -> Judgement:  # noqa: ARG002
        answers = self._answers(example)
        if settled := settled_score(record):
            return settled
        output = record.output
        try:
            value = find_json(output) if isinstance(output, str) else output
        except ValueError:
            return Judgement(0.0, "the output holds no JSON")
        if not isinstance(value, Mapping) or self.field not in value:
            return Judgement(0.0, f"the output's JSON has no field {self.field!r}")
        right = any(_equal(value[self.field], answer) for answer in answers)
        wanted = " or ".join(as_text(answer) for answer in answers)
        return verdict(right, value[self.field], f"{self.field} = {wanted}")

    def _answers(self, example: Example) -> list[Any]:
        target = example.target
        if not isinstance(target, Mapping):
            return accepted(self.name, example)
        if self.field not in target:
            raise InputError(
                f"judge {self.name!r}: the target of example {example.id!r} has no field "
                f"{self.field!r}."
            )
        return [target[self.field]]
