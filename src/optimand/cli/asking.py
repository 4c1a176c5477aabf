"""A human judge's question as a person reads it, and what the person wrote as an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.core.errors import InputError

__all__ = ["answer_from", "prompt_of", "shown_question"]

Question = Mapping[str, Any]

_CHOICES = {
    **dict.fromkeys(("1", "first", "a"), "first"),
    **dict.fromkeys(("2", "second", "b"), "second"),
    **dict.fromkeys(("t", "tie", "0", "="), "tie"),
}


def shown_question(question: Question) -> str:
    """The question as text. Outputs stand without the names of those who made them."""
    pair = question.get("kind") == "pair"
    outputs = {"FIRST": "first", "SECOND": "second"} if pair else {"OUTPUT": "output"}
    parts = [f"Example {question.get('example', '')}", str(question.get("criteria", ""))]
    parts.append(f"--- INPUT ---\n{question.get('input', '')}")
    parts += [f"--- {title} ---\n{question.get(name, '')}" for title, name in outputs.items()]
    return "\n\n".join(parts)


def prompt_of(question: Question) -> str:
    """What to type."""
    if question.get("kind") == "pair":
        return "1, 2 or t (tie), and why if you like; s skips, q ends: "
    low, high = question.get("scale", (0, 1))
    return f"A number from {low:g} to {high:g}, and why if you like; s skips, q ends: "


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
