"""A person says which of two outputs is better, or grades one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from optimand.core.example import Example
from optimand.core.given import need_number, need_scale, need_whole
from optimand.core.keys import content_hash, seed_from
from optimand.core.record import Judgement, Record
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.asking import Ask, Slot, judgement
from optimand.evaluation.judges.common import fingerprint, settled_pair, settled_score
from optimand.evaluation.judges.desk import Desk
from optimand.evaluation.judges.options import check_options

__all__ = ["Human", "HumanScore"]

Sleep = Callable[[float], Awaitable[Any]]


async def _wait(
    desk: Desk, question: dict[str, Any], seed: int, interval: float, sleep: Sleep
) -> dict[str, Any]:
    """Puts the question and looks for its answer every `interval` seconds."""
    # The key is made of the question, so that a run taken up again finds its own open questions.
    key = content_hash(question, seed)
    desk.ask(question, key)
    while (answer := desk.answer(key)) is None:
        await sleep(interval)
    return answer


def _check(judge: Human | HumanScore) -> None:
    check_options(judge)
    need_whole(judge.width, f"judge {judge.name!r}: width")
    need_number(judge.interval, f"judge {judge.name!r}: interval")


def _unreadable(what: object) -> Ask:
    return Ask("outcome", None, status="invalid", feedback=f"{what!r} is not an answer")


def _question(judge: Human | HumanScore, kind: str, example: Example) -> dict[str, Any]:
    return {
        "kind": kind,
        "judge": judge.name,
        "criteria": judge.criteria,
        "example": example.id,
        "input": as_text(example.input),
        **({"target": as_text(example.target)} if judge.show_target else {}),
    }


@dataclass
class Human:
    """A person's preference, asked without names and in an order drawn from the seed.

    The question holds `first` and `second` (texts) and `choices`; the answer is
    `{"choice": "first" | "second" | "tie", "comment": text}`, the comment optional. With
    `show_target` it holds the `target` too. `interval` is the time between looks at the desk, in
    seconds, `width` how many questions lie there at once. With 1, none is answered in vain, since
    each is chosen by the answers so far; with more, the next are ready at once.
    """

    desk: Desk = field(compare=False)
    criteria: str = "Which answer is better?"
    show_target: bool = False
    width: int = field(default=1, compare=False)
    interval: float = field(default=1.0, compare=False)
    sleep: Sleep = field(default=asyncio.sleep, compare=False, repr=False)
    name: str = "human"
    kind: Literal["pair"] = field(default="pair", init=False)
    needs_outputs: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        _check(self)

    def fingerprint(self) -> str:
        return fingerprint(self)

    async def compare(self, example: Example, a: Record, b: Record, seed: int) -> Judgement:
        if settled := settled_pair(a, b):
            return settled
        first: Slot = "a" if seed_from("order", seed) % 2 else "b"
        texts = {"a": as_text(a.output), "b": as_text(b.output)}
        question = _question(self, "pair", example) | {
            "first": texts[first],
            "second": texts["b" if first == "a" else "a"],
            "choices": ["first", "second", "tie"],
        }
        answer = await _wait(self.desk, question, seed, self.interval, self.sleep)
        lengths = [len(texts["a"]), len(texts["b"])]
        return judgement(
            [_preference(answer, first)], {"lengths": lengths}, (a.candidate, b.candidate)
        )


def _preference(answer: dict[str, Any], first: Slot) -> Ask:
    values = {"first": 1.0, "second": 0.0, "tie": 0.5}
    choice = answer.get("choice")
    if not isinstance(choice, str) or choice not in values:
        return _unreadable(choice)
    value = values[choice] if first == "a" else 1.0 - values[choice]
    return Ask("outcome", value, first, feedback=str(answer.get("comment", "")))


@dataclass
class HumanScore:
    """A person's grade on `scale`, mapped linearly to [0, 1].

    The question holds `output` (text) and `scale`; the answer is `{"score": number, "comment":
    text}`, the comment optional. `show_target`, `interval` and `width` are as for Human.
    """

    desk: Desk = field(compare=False)
    criteria: str = "How good is this answer?"
    scale: tuple[float, float] = (1, 5)
    show_target: bool = False
    width: int = field(default=1, compare=False)
    interval: float = field(default=1.0, compare=False)
    sleep: Sleep = field(default=asyncio.sleep, compare=False, repr=False)
    name: str = "human_score"
    kind: Literal["score"] = field(default="score", init=False)

    def __post_init__(self) -> None:
        _check(self)
        # A list from a file is the same scale.
        self.scale = need_scale(self.scale, f"judge {self.name!r}: scale", whole=False)

    def fingerprint(self) -> str:
        return fingerprint(self)

    async def score(self, example: Example, record: Record, seed: int) -> Judgement:
        if settled := settled_score(record):
            return settled
        question = _question(self, "score", example) | {
            "output": as_text(record.output),
            "scale": list(self.scale),
        }
        answer = await _wait(self.desk, question, seed, self.interval, self.sleep)
        return judgement([self._grade(answer)])

    def _grade(self, answer: dict[str, Any]) -> Ask:
        low, high = self.scale
        grade: Any = answer.get("score")
        number = isinstance(grade, int | float) and not isinstance(grade, bool)
        if not number or not low <= grade <= high:
            return _unreadable(grade)
        value = (grade - low) / (high - low)
        return Ask("outcome", value, feedback=str(answer.get("comment", "")))
