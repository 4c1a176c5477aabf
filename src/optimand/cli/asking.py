"""A human judge's question as a person reads it, and what the person wrote as an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from optimand.core.errors import InputError

__all__ = ["answer_from", "hint_of", "prompt_of", "shown_question"]

Question = Mapping[str, Any]

_CHOICES = {
    **dict.fromkeys(("1", "first", "a"), "first"),
    **dict.fromkeys(("2", "second", "b"), "second"),
    **dict.fromkeys(("t", "tie", "0", "="), "tie"),
}


def shown_question(question: Question) -> str:
    """The question as text. Outputs stand without the names of those who made them.

    Fields of the input and of the target have a line each; an output that is JSON is indented.
    """
    pair = question.get("kind") == "pair"
    outputs = {"FIRST": "first", "SECOND": "second"} if pair else {"OUTPUT": "output"}
    parts = [f"Example {question.get('example', '')}", str(question.get("criteria", ""))]
    parts.append(f"--- INPUT ---\n{_fields(question.get('input', ''))}")
    if "target" in question:
        parts.append(f"--- TARGET ---\n{_fields(question['target'])}")
    parts += [f"--- {title} ---\n{_indented(question.get(n, ''))}" for title, n in outputs.items()]
    return "\n\n".join(parts)


def _read(text: Any) -> Any:
    """What the text of a mapping or a list stands for; of any other, the text itself."""
    try:
        value = json.loads(text) if str(text).lstrip()[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        return text
    return value if value else text


def _indented(text: Any) -> str:
    value = _read(text)
    return text if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _fields(text: Any) -> str:
    value = _read(text)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return "\n".join(f"- {item}" for item in value)
    if not isinstance(value, dict):
        return _indented(text)
    return "\n".join(line for name, part in value.items() for line in _field(name, part))


def _field(name: str, part: Any) -> Iterator[str]:
    said = part if isinstance(part, str) else json.dumps(part, indent=2, ensure_ascii=False)
    if "\n" not in said:
        yield f"{name}: {said}"
        return
    yield f"{name}:"
    yield from (f"  {line}" for line in said.split("\n"))


def hint_of(question: Question) -> str:
    """How questions of this kind are answered, in full."""
    if question.get("kind") == "pair":
        return "Answer 1, 2 or t (tie), and why if you like; s skips, q ends."
    low, high = question.get("scale", (0, 1))
    return f"Answer with a number from {low:g} to {high:g}, and why if you like; s skips, q ends."


def prompt_of(question: Question) -> str:
    """What to type, in short."""
    if question.get("kind") == "pair":
        return "1, 2 or t: "
    low, high = question.get("scale", (0, 1))
    return f"{low:g} to {high:g}: "


def answer_from(question: Question, typed: str, comment: str = "") -> dict[str, Any]:
    """The answer that `typed` means: a choice or a number, then a comment.

    Raises InputError where it means none.
    """
    word, _, rest = typed.strip().partition(" ")
    said = comment or rest.strip()
    if question.get("kind") == "pair":
        choice = _CHOICES.get(word.lower())
        if choice is None:
            raise InputError(f"{word!r} is not an answer: write 1, 2 or t")
        return {"choice": choice, "comment": said}
    low, high = question.get("scale", (0, 1))
    try:
        score = float(word.replace(",", "."))
    except ValueError:
        score = float("nan")
    if not low <= score <= high:
        raise InputError(f"{word!r} is not an answer: write a number from {low:g} to {high:g}")
    return {"score": score, "comment": said}
