"""The prompt optimizers of dspy on the shared task; runs where dspy is installed.

`python -m benchmarks.improve.dspy_peer NAME NOISY FROM TO CALLS VAL` prints a JSON list. The
student is one predictor whose execution is the shared function of its instruction and the example,
without a model; the model that proposes is scripted. No demonstrations: no execution looks at them.
"""

from __future__ import annotations

import io
import json
import logging
import random
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import dspy
from benchmarks.improve.common import Outcome, Watch, feedback, quality, score
from benchmarks.improve.replies import dspy_reply

__all__ = ["run"]


class _World:
    """One run: what is executed, and what is proposed."""

    def __init__(self, noisy: bool, seed: int, calls: int, size: int) -> None:
        self.noisy, self.seed, self.calls, self.size = noisy, seed, calls, size
        self.watch, self.steps = Watch(size), 0
        self.scores, self.edits = random.Random(f"scores {seed}"), random.Random(f"edit {seed}")
        self.train = [_example(place) for place in range(size)]
        self.val = [_example(place) for place in range(1000, 1000 + size)]

    def execute(self, text: str, place: int) -> dict[str, Any]:
        self.watch.ran(text, place, self.noisy, validation=place >= 1000)
        value = score(text, place, self.noisy, self.scores)
        return {"outcome": value, "said": feedback(text, place, self.noisy)}


def _example(place: int) -> Any:
    return dspy.Example(place=place).with_inputs("place")


WORLDS: list[_World] = []
"""The world of the run under way, last; programs are copied deeply, so it is not theirs."""


class Step(dspy.Predict):  # type: ignore[misc, unused-ignore]
    """A predictor whose execution is a function of its instruction."""

    def forward(self, **given: Any) -> Any:
        place = given["place"]
        made = dspy.Prediction(**WORLDS[-1].execute(self.signature.instructions, place))
        if dspy.settings.trace is not None:
            dspy.settings.trace.append((self, {"place": place}, made))
        return made


class Student(dspy.Module):  # type: ignore[misc, unused-ignore]
    """The program whose instruction is sought."""

    def __init__(self) -> None:
        super().__init__()
        self.step = Step(dspy.Signature("place: int -> outcome: float", "start"))

    def forward(self, place: int) -> Any:
        return self.step(place=place)


class Rule(dspy.BaseLM):  # type: ignore[misc, unused-ignore]
    """The scripted model: `n` answers by the shared rule."""

    def forward(self, prompt: Any = None, messages: Any = None, **given: Any) -> Any:
        asked, world = prompt or messages[-1]["content"], WORLDS[-1]
        number = given.get("n") or 1
        world.steps += number
        told = [dspy_reply(asked, world.edits) for _ in range(number)]
        choices = [
            SimpleNamespace(message=SimpleNamespace(content=one), finish_reason="stop")
            for one in told
        ]
        return SimpleNamespace(choices=choices, usage={}, model="rule")


def _metric(example: Any, made: Any, trace: Any = None, *_: Any) -> float:  # noqa: ARG001
    return float(made.outcome)


def _told(example: Any, made: Any, trace: Any = None, *_: Any) -> Any:  # noqa: ARG001
    return dspy.Prediction(score=float(made.outcome), feedback=made.said)


def _copro(world: _World) -> tuple[Any, float]:
    """As many rounds of its breadth of 10 as the executions allow (its default: 3)."""
    depth = max(1, world.calls // (10 * world.size))
    search = dspy.COPRO(metric=_metric, depth=depth)
    quiet = {"num_threads": 1, "display_progress": False}
    best = search.compile(Student(), trainset=world.val, eval_kwargs=quiet)
    return best, best.candidate_programs[0]["score"] / 100


def _gepa(world: _World) -> tuple[Any, float]:
    search = dspy.GEPA(
        _told,
        max_metric_calls=world.calls,
        reflection_lm=dspy.settings.lm,
        num_threads=1,
        track_stats=True,
        seed=world.seed,
    )
    best = search.compile(Student(), trainset=world.train, valset=world.val)
    found = best.detailed_results
    return best, found.val_aggregate_scores[found.best_idx]


def _simba(world: _World) -> tuple[Any, float]:
    """Batches of all examples (its 32 where there are as many), as many steps as are paid for."""
    size = min(32, world.size)
    steps = max(1, (world.calls - 7 * world.size) // (13 * size))
    search = dspy.SIMBA(metric=_told, bsize=size, max_steps=steps, max_demos=0, num_threads=1)
    best = search.compile(Student(), trainset=world.val, seed=world.seed)
    return best, best.candidate_programs[0]["score"]


def _mipro(world: _World) -> tuple[Any, float]:
    """Its setting of the most trials (`light` is the default, and ends sooner still)."""
    return _mipro_from(Student(), world, "heavy", world.seed)


def _mipro_repeated(world: _World) -> tuple[Any, float]:
    """Its default setting, started again from its own best while the executions last."""
    best, claimed, longest, again = Student(), 0.0, 0, 0
    while again == 0 or world.watch.calls + longest <= world.calls:
        before, student = world.watch.calls, Student()
        student.step.signature = best.step.signature  # its logs, which grow, are left behind
        best, claimed = _mipro_from(student, world, "light", 1000 * world.seed + again)
        longest, again = max(longest, world.watch.calls - before), again + 1
    return best, claimed


def _mipro_from(student: Student, world: _World, auto: str, seed: int) -> tuple[Any, float]:
    search = dspy.MIPROv2(
        metric=_metric,
        auto=auto,
        max_bootstrapped_demos=0,
        max_labeled_demos=0,
        num_threads=1,
        seed=seed,
    )
    best = search.compile(student, trainset=world.train, valset=world.val)
    return best, best.score / 100


SEARCHES = {
    "copro": _copro,
    "gepa": _gepa,
    "simba": _simba,
    "miprov2": _mipro,
    "miprov2-repeated": _mipro_repeated,
}


def run(name: str, noisy: bool, seed: int, calls: int, size: int) -> Outcome:
    """One search with `size` validation examples and as many to learn from."""
    world = _World(noisy, seed, calls, size)
    WORLDS[:] = [world]
    begun = time.process_time()
    with dspy.context(lm=Rule("rule", cache=False)):
        best, claimed = SEARCHES[name](world)
    seconds, watch = time.process_time() - begun, world.watch
    truth = quality(best.step.signature.instructions, noisy)
    return Outcome(watch.reached, truth, float(claimed), watch.calls, world.steps, seconds)


def main(name: str, *numbers: str) -> None:
    """Print one outcome for each seed."""
    warnings.simplefilter("ignore")  # of dspy: a class of one's own for a model will go
    logging.disable(logging.WARNING)
    noisy, start, stop, calls, size = map(int, numbers)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):  # its progress bars
        run(name, bool(noisy), 0, 400, size)  # imports and caches do not count
        found = [run(name, bool(noisy), seed, calls, size) for seed in range(start, stop)]
    print(json.dumps([asdict(one) for one in found]))


if __name__ == "__main__":
    main(*sys.argv[1:])
