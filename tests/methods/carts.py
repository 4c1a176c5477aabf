"""A bench for methods that write policies: carts, whose return is said by the policy's own code."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from tests.methods.benches import JUNK

from optimand import Budget, improve
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Endless, Example
from optimand.core.model import Request
from optimand.core.record import Record
from optimand.core.task import Judge
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

WRITES, SUMMARISES = "You write programs", "You write a small program"
REFLECTS, REPAIRS = "You look back", "You repair"
ABOUT = "Push the cart to the goal."
FAITHFUL = {"keep": "last", "race": False}


class Carts:
    """A policy says `gain = x`; its return is that, the same noise for all, and a little own.

    `crash`, `slow` and `odd` in the code, at an example from the number written there on, give the
    status; `broken` in the summary makes that raise. `executed` has (policy, example) pairs.
    """

    def __init__(self, noise: float = 0.02, parts: Sequence[str] = ()) -> None:
        self.name, self.about, self.noise, self.parts = "carts", ABOUT, noise, parts
        self.splits: Mapping[str, Sequence[Example]] = {"train": Endless(), "val": Endless()}
        self.population: Literal["whole", "sample"] = "sample"
        self.width = 4
        self.judge: Judge | None = None
        self.executed: list[tuple[str, str]] = []

    def fingerprint(self) -> str:
        return f"carts {self.noise}"

    def check(self, artifact: Artifact) -> list[str]:
        code = artifact.parts["policy"]
        return ["line 1: a class is needed"] if code and "class" not in code else []

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        code, about = candidate.artifact.parts["policy"], (candidate.id, example.id)
        self.executed.append((code, example.id))
        for word, status in (("crash", "crash"), ("slow", "timeout"), ("odd", "invalid")):
            found = re.search(rf"{word} = (\d+)", code)
            if found and example.input >= int(found[1]):
                text = f"Traceback of {word} at step 7"
                return Record(*about, score=0.0, feedback=text, status=status)  # type: ignore[arg-type]
        found = re.search(r"gain = ([\d.]+)", code)
        shared, own = random.Random(seed), random.Random(f"{code}{seed}")
        noise = self.noise * (2 * shared.gauss(0, 1) + own.gauss(0, 1))
        score = min(1.0, max(0.0, (float(found[1]) if found else 0.0) + noise))
        broken = "broken" in candidate.artifact.parts.get("summary", "")
        return Record(
            *about,
            score=score,
            output="no summary" if broken else f"went {100 * score:.0f} m",
            objectives={"return": 1000 * score},
            trace={"summary_error": "NameError: broken"} if broken else None,
        )

    async def close(self) -> None: ...


def code(gain: float, more: str = "") -> str:
    return f"class Policy:\n    gain = {gain:.6f}\n    {more}\n    def act(self, o): return 0"


def fenced(text: str) -> str:
    return f"```python\n{text}\n```"


def writer(
    draw: Callable[[random.Random, str], str],
    seen: list[str] | None = None,
    junk: float = 0.0,
    summaries: Sequence[str] = ("def summarise(observations): return ''",),
) -> Scripted:
    """Draws policies by `draw(rng, prompt)`; repairs by taking the fault out; reflects in words."""
    made = iter(summaries)

    def answer(request: Request) -> str:
        text, rng = request.messages[-1].content, random.Random(request.seed)
        if seen is not None:
            seen.append(text)
        if rng.random() < junk:
            return rng.choice(JUNK)
        if text.startswith(REFLECTS):
            return f"It went {len(text) % 7} m further; speed is lacking."
        if text.startswith(SUMMARISES) or 'name="summary"' in text:
            return fenced(next(made))
        if text.startswith(REPAIRS):
            (old,) = re.findall(r'instructions\)\n<part name="policy">\n(.*?)\n</part>', text, re.S)
            return fenced(re.sub(r"(crash|slow|odd) = \d+", "pass", old))
        assert text.startswith(WRITES)
        return fenced(draw(rng, text))

    return Scripted(answer, name=f"writer-{junk}")


def climbing(rng: random.Random, text: str) -> str:
    """A little above or below the last attempt; no two are alike."""
    last = re.findall(r"gain = ([\d.]+)", text)
    return code(max(0.0, (float(last[-1]) if last else 0.2) + rng.uniform(-0.05, 0.05)))


def search(
    task: Carts, proposer: Scripted, budget: Budget | None = None, **kwargs: Any
) -> ImproveResult:
    options = {"rounds": 4, "width": 6, **kwargs.pop("options", {})}
    start = {"policy": "", **({"summary": ""} if "summary" in task.parts else {})}
    method = {"type": "promptpo", **options}
    return improve(start, task, method=method, proposer=proposer, budget=budget, **kwargs)


def kinds(seen: Sequence[str]) -> Counter[str]:
    heads = (SUMMARISES, WRITES, REFLECTS, REPAIRS)
    return Counter(next(h for h in heads if text.startswith(h)) for text in seen)
