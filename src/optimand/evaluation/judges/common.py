"""What judges share: accepted targets, settled cases, fingerprints, checks of user functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.keys import content_hash
from optimand.core.record import Judgement, Record
from optimand.core.usercode import failing_as, number, said, shown
from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.loading import function_id

__all__ = [
    "accepted",
    "call",
    "example_complaints",
    "fingerprint",
    "settled_pair",
    "settled_score",
    "unit_value",
    "verdict",
]


def settled_score(record: Record) -> Judgement | None:
    """The judgement of a record that needs no judge: the service failed, or the candidate did."""
    if record.status == "unknown":
        return Judgement(None, record.feedback, status="unknown")
    if record.status != "ok":
        return Judgement(0.0, record.feedback or f"the run ended as {record.status!r}")
    return None


def settled_pair(a: Record, b: Record) -> Judgement | None:
    """The judgement of a pair that needs no judge: a failed run, or the same output twice."""
    if "unknown" in (a.status, b.status):
        feedback = a.feedback if a.status == "unknown" else b.feedback
        return Judgement(None, feedback, status="unknown")
    good = [record.status == "ok" for record in (a, b)]
    if all(good):
        return Judgement(0.5, "both outputs are the same") if a.output == b.output else None
    failed = " and ".join(
        f"{r.candidate} ended as {r.status!r}" for r in (a, b) if r.status != "ok"
    )
    return Judgement(0.5 + 0.5 * (good[0] - good[1]), failed)


def accepted(judge: str, example: Example) -> list[Any]:
    """The accepted answers: the target, or the members of a target that is a list.

    Raises InputError if the example has none.
    """
    target = example.target
    answers = list(target) if isinstance(target, list | tuple) else [target]
    if not answers or None in answers:
        raise InputError(
            f"judge {judge!r}: example {example.id!r} has no target. This judge needs one."
        )
    return answers


def example_complaints(judge: Any, examples: Iterable[Example]) -> list[tuple[Example, str]]:
    """What a judge cannot use among the examples, by its `require(example)` if it has one."""
    require: Callable[[Example], object] | None = getattr(judge, "require", None)
    found = []
    for example in examples if require else ():
        try:
            require and require(example)
        except InputError as error:
            found.append((example, str(error)))
    return found


def verdict(right: bool, output: Any, wanted: str) -> Judgement:
    """1 with no feedback, or 0 with what was wanted and what came."""
    if right:
        return Judgement(1.0)
    text = as_text(output)
    shown = text if len(text) <= 200 else text[:200] + "..."
    return Judgement(0.0, f"wanted {wanted}, got {shown!r}")


def unit_value(value: Any, judge: str, example: Example) -> float:
    """A judge function's answer as a float. Raises InputError unless it is a number in [0, 1]."""
    found = number(value)
    if found is None:
        raise InputError(
            f"judge {judge!r} answered {shown(value)} for example {example.id!r}. "
            "It must answer a number from 0 to 1."
        )
    return found


def call(function: Callable[..., Any], judge: str, example: Example, *arguments: Any) -> Any:
    """The user's function called; an exception of it becomes an InputError that names the place."""
    with failing_as(lambda error: failure(error, judge, example)):
        return function(*arguments)


def failure(error: BaseException, judge: str, example: Example) -> InputError:
    """The error that says which judge failed on which example."""
    return InputError(
        f"judge {judge!r} failed on example {example.id!r} with {said(error)}. "
        "A judge must answer for every output."
    )


def fingerprint(judge: Any, *extra: Any) -> str:
    """A hash of the judge's type and of every field that takes part in its equality."""
    values = {f.name: _identity(getattr(judge, f.name)) for f in fields(judge) if f.compare}
    return content_hash(type(judge).__name__, values, extra)


def _identity(value: Any) -> Any:
    if hasattr(value, "complete"):  # a client: its name says model and endpoint
        return value.name
    if hasattr(value, "fingerprint"):
        return value.fingerprint()
    return function_id(value) if callable(value) else value
