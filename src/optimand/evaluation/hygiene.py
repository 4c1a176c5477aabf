"""Warnings about what a search has found: length, repetition, leaked answers, leaked criteria.

They look at texts and scores alone and call nothing. Each is quiet on what is usual: class labels,
single words, separators, placeholders, and whatever the start had already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from optimand.evaluation.overfit import Gap, overfitted

__all__ = ["Gap", "warnings_about"]

LONG, TIMES = 500, 2.0
"""Characters, and multiples of the start, above which texts have grown much."""
OFTEN = 3
PHRASE = 20
"""Characters of a sentence that says something."""
QUOTE, RULE = 40, 30
"""Characters of an example's input, and of a judge's text, that nobody writes by chance."""
ANSWER = 24
"""Characters of an answer that nobody writes by chance."""
NEAR = 2
"""Words of its own example that make a short answer on the same line more than chance."""
ASKED = 6
"""Characters of a whole input that do the same."""
MOST = 5_000
"""Training examples that are looked at."""

_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w{4,}")

Asked = tuple[Any, Any]
"""Input and target of an example."""


def warnings_about(
    name: str,
    start: Mapping[str, str],
    best: Mapping[str, str],
    *,
    train: Iterable[Asked] = (),
    judge: Any = None,
    gaps: tuple[Gap, Gap] | None = None,
) -> tuple[str, ...]:
    """Sentences about the candidate `name`, none where nothing is odd.

    `start` and `best` are the changeable texts by part; `train` the examples that the proposer may
    have seen; `judge` the judge's options; `gaps` the scores on train and val of start and best.
    """
    before, after = "\n".join(start.values()), "\n".join(best.values())
    found = [
        _longer(name, len(before), len(after)),
        _repeated(name, before, after),
        *_answers(name, before, after, list(islice(train, MOST))),
        _criteria(name, before, after, judge),
        overfitted(name, *gaps) if gaps else "",
    ]
    return tuple(text for text in found if text)


def _longer(name: str, before: int, after: int) -> str:
    if after <= LONG or after <= TIMES * before:
        return ""
    beside = f", {after / before:.1f} times the start's {before:,}" if before else ""
    return f"{name} has {after:,} characters{beside}: every call pays for them."


def _phrases(text: str) -> Iterator[str]:
    """Sentences and lines, with single spaces."""
    for part in _BREAK.split(text):
        phrase = " ".join(part.split())
        if phrase:
            yield phrase


def _repeated(name: str, before: str, after: str) -> str:
    was = Counter(p.casefold() for p in _phrases(before))
    now = Counter(p.casefold() for p in _phrases(after))
    worst = [
        (count, phrase)
        for phrase, count in now.items()
        if count >= OFTEN > was[phrase] and len(phrase) >= PHRASE and len(phrase.split()) >= 4
    ]
    if not worst:
        return ""
    count, phrase = max(worst)
    return f"{name} says the same {count} times: {_clipped(phrase)}."


def _answers(name: str, before: str, after: str, train: Sequence[Asked]) -> Iterator[str]:
    targets = [sorted(set(_leaves(target))) for _, target in train]
    inputs = [sorted(set(_leaves(value))) for value, _ in train]
    labels = Counter(t for each in targets for t in each)
    shared = Counter(p for each in inputs for p in {q for t in each for q in _phrases(t)})
    text, old = " ".join(after.split()), " ".join(before.split())
    quoted = [
        p for p, n in shared.items() if n == 1 and len(p) >= QUOTE and p in text and p not in old
    ]
    if quoted:
        yield (
            f"{name} quotes the inputs of {_some(len(quoted), 'training example')}, such as "
            f"{_clipped(quoted[0])}: a score on those says little."
        )
    lines = [(line, set(_WORD.findall(line.casefold()))) for line in after.splitlines()]
    known = set(_WORD.findall(before.casefold()))
    copied = [
        answer
        for each, value in zip(targets, inputs, strict=True)
        for answer in each
        if labels[answer] == 1
        and answer not in old
        and _told(answer, [v for v in value if v not in old], text, lines, known)
    ]
    if copied:
        yield (
            f"{name} holds the answers of {_some(len(copied), 'training example')}, such as "
            f"{_clipped(copied[0])}: it may know these by heart and no others."
        )


def _told(
    answer: str,
    value: Sequence[str],
    text: str,
    lines: Sequence[tuple[str, set[str]]],
    known: set[str],
) -> bool:
    """Whether the text gives this answer away: a long one as it is, a short one with its input."""
    if len(answer) >= ANSWER:
        return answer in text
    if len(answer) < 2 or answer not in text:
        return False
    whole = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)")
    own = {w for t in value for w in _WORD.findall(t.casefold())} - known - {answer.casefold()}
    return any(
        (len(words & own) >= NEAR or any(len(t) >= ASKED and t in line for t in value))
        and whole.search(line)
        for line, words in lines
    )


def _criteria(name: str, before: str, after: str, judge: Any) -> str:
    text, old = " ".join(after.split()), " ".join(before.split())
    for part in _leaves(judge):
        for phrase in _phrases(part):
            if len(phrase) >= RULE and phrase in text and phrase not in old:
                return (
                    f"{name} repeats the judge's own words, {_clipped(phrase)}: "
                    "it may please the judge and nobody else."
                )
    return ""


def _leaves(value: Any, depth: int = 20) -> Iterator[str]:
    """The texts and numbers in plain data, with single spaces."""
    if isinstance(value, str):
        yield " ".join(value.split())
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        yield str(value)
    elif depth and isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(part, depth - 1)


def _some(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("s" if count > 1 else "")


def _clipped(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
