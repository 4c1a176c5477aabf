"""Where questions to a person wait, and where the answers are found."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["Desk", "MemoryDesk"]


@runtime_checkable
class Desk(Protocol):
    """Holds questions until a person has answered them.

    Contract: questions and answers are plain JSON. `ask` may be called again with the same key and
    then changes nothing. `answer` returns None until there is an answer, and then always that one.
    """

    def ask(self, question: dict[str, Any], key: str) -> None: ...

    def answer(self, key: str) -> dict[str, Any] | None: ...


class MemoryDesk:
    """A desk in memory: `questions` lists what is open, `give` answers it."""

    def __init__(self) -> None:
        self.questions: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, dict[str, Any]] = {}

    def ask(self, question: dict[str, Any], key: str) -> None:
        """Puts a question on the desk, unless it lies there or is answered."""
        if key not in self._answers:
            self.questions.setdefault(key, question)

    def answer(self, key: str) -> dict[str, Any] | None:
        """The answer, if there is one."""
        return self._answers.get(key)

    def give(self, key: str, answer: dict[str, Any]) -> None:
        """Answers a question and takes it off the desk. Raises KeyError if it is not there."""
        del self.questions[key]
        self._answers[key] = answer
