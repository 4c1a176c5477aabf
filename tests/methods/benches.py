"""Offline benches for methods: subjects with a stated rule and scripted proposers."""

from __future__ import annotations

import random
import re

from optimand import Budget, FunctionTask, improve
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

TOKENS = [f"t{i}" for i in range(12)]
JUNK = ("I cannot help with that.", "", "```\n", '<part name="other">\nx\n</part>')


def tokens_task(examples: int = 120) -> FunctionTask:
    """Example i passes when its token is in the text; the feedback names a missing one.

    A second objective, `short`, falls with the number of words.
    """

    def run(value: str, example: object, seed: int) -> dict[str, object]:
        words = value.split()
        need = example.input["need"]  # type: ignore[attr-defined]
        passed = need in words
        return {
            "score": float(passed),
            "feedback": "" if passed else f"missing {need}",
            "output": " ".join(words[:5]),
            "objectives": {"short": max(0.0, 1.0 - len(words) / 40.0)},
        }

    rows = [{"id": f"e{i}", "input": {"need": TOKENS[i % 12], "n": i}} for i in range(examples)]
    return FunctionTask(run, rows, name="tokens")


def token_editor(junk: float = 0.3, seeing: float = 0.8) -> Scripted:
    """Adds a token that the prompt calls missing with probability `seeing`, else a junk word.

    With probability `junk` the reply is a refusal, empty or unreadable.
    """

    def answer(request: Request) -> str:
        text = request.messages[-1].content
        rng = random.Random(request.seed)
        if rng.random() < junk:
            return rng.choice(JUNK)
        missing = re.findall(r"missing (t\d+)", text)
        shown = re.findall(r'<part name="value">\n(.*?)\n</part>', text, re.DOTALL)
        base = shown[-1] if shown else "start"
        word = f"junk{rng.randrange(50)}"
        if missing and rng.random() < seeing:
            word = rng.choice(missing)
        elif not missing and rng.random() < 0.3:
            word = rng.choice(TOKENS)
        return f'<part name="value">\n{base} {word}\n</part>'

    return Scripted(answer, name=f"token-editor-{junk}-{seeing}")


def improved(method: object, rollouts: int = 3000, **kwargs: object) -> ImproveResult:
    """The token bench with one method."""
    options = {"proposer": token_editor(), **kwargs}
    return improve(
        "start", tokens_task(), method=method, budget=Budget(rollouts=rollouts), **options
    )
