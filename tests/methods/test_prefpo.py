"""PrefPO: the pool, the loser, and targets that nobody reads."""

from __future__ import annotations

import json
import random
import re
import sys
from typing import Any, Literal

import pytest
from tests.methods.benches import JUNK

from optimand import Budget, improve
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Example
from optimand.core.model import Request
from optimand.core.record import Record
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted

READERS: set[str] = set()
ROOMS = tuple(f"optimand.{room}." for room in ("methods", "operators", "queries", "memory"))
"""Where what a model is shown is made."""
WORDS = [f"w{i}" for i in range(8)]


class Poisoned(Example):
    """Notes which module reads the target."""

    def __getattribute__(self, name: str) -> Any:
        if name == "target":
            READERS.add(sys._getframe(1).f_globals["__name__"])
        return super().__getattribute__(name)


class WordsTask:
    """Answers example i rightly when its word is in the text; the feedback tells the target."""

    name = "words"
    population: Literal["whole", "sample"] = "sample"
    width = 1
    judge = None

    def __init__(self) -> None:
        rows = [Poisoned(f"e{i}", {"word": WORDS[i % 8]}, f"SECRET-{i}") for i in range(120)]
        self.splits = {"all": rows}

    def fingerprint(self) -> str:
        return "words"

    def check(self, artifact: Artifact) -> list[str]:
        return []

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        word = example.input["word"]
        right = word in candidate.artifact.parts["value"].split()
        output = "fine" if right else f"no idea about {word}"
        feedback = f"the answer is {example.id.replace('e', 'SECRET-')}"
        return Record("", "", score=float(right), output=output, feedback=feedback)

    async def close(self) -> None:
        """Nothing to close."""


def _judge(asked: list[str]) -> Scripted:
    """Prefers the side with more fine outputs and names what the other one lacks."""

    def judge(request: Request) -> str:
        said = request.messages[-1].content
        asked.append(said)
        fine = [said.count(f"output {side}: fine") for side in (1, 2)]
        better = 1 if fine[0] >= fine[1] else 2
        lacks = re.findall(rf"output {3 - better}: no idea about (w\d)", said)
        feedback = f"does not know {lacks[0] if lacks else 'anything'}"
        return json.dumps({"feedback": feedback, "preferred": better})

    return Scripted(judge, name="fine")


def _proposer(prompts: list[str], junk: float) -> Scripted:
    def write(request: Request) -> str:
        said = request.messages[-1].content
        prompts.append(said)
        rng = random.Random(request.seed)
        if rng.random() < junk:
            return rng.choice(JUNK)
        base = re.findall(r'<part name="value">\n(.*?)\n</part>', said, re.DOTALL)[-1]
        wanted = re.findall(r"does not know (w\d)", said) or [f"other{rng.randrange(99)}"]
        return f'<part name="value">\n{base} {wanted[-1]}\n</part>'

    return Scripted(write, name=f"obedient-{junk}")


def _run(junk: float = 0.0, **options: Any) -> tuple[ImproveResult, list[str], list[str]]:
    asked: list[str] = []
    prompts: list[str] = []
    result = improve(
        "start",
        WordsTask(),
        method={"type": "prefpo", "steps": 40, **options},
        proposer={"proposer": _proposer(prompts, junk), "judge": _judge(asked)},
        budget=Budget(rollouts=4000),
    )
    return result, asked, prompts


def _known_words(result: ImproveResult) -> int:
    return len(set(WORDS) & set(result.best.artifact.parts["value"].split()))


@pytest.mark.parametrize("junk", [0.0, 0.3])
@pytest.mark.parametrize(("replace", "least"), [(False, 3), (True, 6)])
def test_it_climbs_and_proves_the_gain(junk: float, replace: bool, least: int) -> None:
    result, asked, _ = _run(junk, replace=replace)
    assert result.proven
    assert _known_words(result) >= least
    assert asked


def test_add_grows_the_pool_and_replace_keeps_its_size() -> None:
    sizes = {}
    for replace in (False, True):
        result, _, _ = _run(replace=replace, steps=20)
        lost = [c.parents[0] for c in list(result.known.values())[2:]]
        sizes[replace] = len(lost) - len(set(lost))
    assert sizes[True] == 0  # a loser leaves the pool, so it is never rewritten again
    assert sizes[False] > 0


def test_the_judge_sees_each_pair_in_a_random_order() -> None:
    _, _, prompts = _run(steps=20)
    sides = re.findall(r"Yours are the outputs (\d)", "\n".join(prompts))
    assert {"1", "2"} == set(sides)


@pytest.mark.parametrize("labels", [False, True])
def test_an_unlabelled_run_never_reads_a_target(labels: bool) -> None:
    READERS.clear()
    _, asked, prompts = _run(labels=labels, steps=10)
    # The rest of the program may: for an example's identity, and to see if a text copies targets.
    shown = {name for name in READERS if name.startswith(ROOMS)}
    assert shown == ({"optimand.queries.pairs"} if labels else set())
    assert "optimand.core.example" in READERS  # the poison works
    assert ("SECRET" in "\n".join(asked)) == labels
    assert ("SECRET" in "\n".join(prompts)) == labels


def test_the_criteria_are_told_in_words() -> None:
    _, asked, _ = _run(criteria="is a haiku", steps=2)
    assert all("An answer is good if it is a haiku." in prompt for prompt in asked)
